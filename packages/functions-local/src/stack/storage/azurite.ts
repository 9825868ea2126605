import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { connectionString, EMULATOR_ACCOUNT, type ServicePorts, type StorageAccount } from '../../storage/index.ts';
import { type RunningProcess, startProcess } from '../process/process.ts';
import { scriptPath } from '../process/script-path.ts';

/** 8 KiB of metadata in small pairs is 64 KiB of headers, above Node's 16 KiB. */
const MAX_HEADER_BYTES = 128 * 1024;

/** Where Azurite keeps its data and listens. */
export interface AzuriteOptions {
  /** undefined: in memory. */
  folder: string | undefined;
  ports: ServicePorts;
  logFile: string;
  /** Default: the emulator's own. The ready value is of the first. */
  accounts?: readonly StorageAccount[];
  /** Every request in the log; default false. */
  logRequests?: boolean;
  /** Aborted before Azurite is ready, it ends Azurite at once. Default: none. */
  signal?: AbortSignal | undefined;
}

/** Starts Azurite and waits until its three services listen. Its ready value is the connection string. */
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
      // SDKs ask for API versions newer than Azurite knows, for nothing that it lacks.
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
