import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { connectionString, EMULATOR_ACCOUNT, type ServicePorts, type StorageAccount } from '../../storage/index.ts';
import { type RunningProcess, startProcess } from '../process/process.ts';
import { scriptPath } from '../process/script-path.ts';

/** 8 KiB of metadata in small pairs need 64 KiB of headers, more than Node's default of 16 KiB. */
const MAX_HEADER_BYTES = 128 * 1024;

/** Options of Azurite. */
export interface AzuriteOptions {
  /** The folder of the data. Undefined means in memory. */
  folder: string | undefined;
  ports: ServicePorts;
  logFile: string;
  /** Defaults to the emulator's account. The ready value is the connection string of the first account. */
  accounts?: readonly StorageAccount[];
  /** Whether every request is logged. Defaults to false. */
  logRequests?: boolean;
  /** Ends Azurite if it is aborted before Azurite is ready. Defaults to none. */
  signal?: AbortSignal | undefined;
}

/** Starts Azurite and waits until its three services listen. The ready value is the connection string. */
export function startAzurite({
  folder,
  ports,
  logFile,
  accounts = [EMULATOR_ACCOUNT],
  logRequests = false,
  signal,
}: AzuriteOptions): Promise<RunningProcess<string>> {
  const listening = new Set<string>();
  return startProcess({
    name: 'Azurite',
    script: scriptPath(import.meta.url, './azurite-main'),
    args: [
      azuriteScript(),
      folder === undefined ? ['--inMemoryPersistence'] : ['--location', folder],
      ['--blobPort', String(ports.blob), '--queuePort', String(ports.queue), '--tablePort', String(ports.table)],
      // The SDKs request newer API versions than Azurite supports, but no features that it lacks.
      ['--skipApiVersionCheck', '--disableTelemetry', ...(logRequests ? [] : ['--silent'])],
    ].flat(),
    env: {
      AZURITE_ACCOUNTS: accounts.map(({ name, key }) => `${name}:${key}`).join(';'),
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --max-http-header-size=${MAX_HEADER_BYTES}`,
    },
    logFile,
    signal,
    readReady: (line) => {
      const service = /Azurite (\w+) service is successfully listening/.exec(line)?.[1];
      if (service !== undefined) listening.add(service);
      return listening.size === 3 ? connectionString(ports, accounts[0]) : undefined;
    },
  });
}

function azuriteScript(): string {
  const manifest = createRequire(import.meta.url).resolve('azurite/package.json');
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: { azurite: string } };
  return join(dirname(manifest), bin.azurite);
}
