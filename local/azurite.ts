import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { type RunningProcess, startProcess } from './process.ts';

/** The account and key that every storage emulator has; public, and good for nothing else. */
const ACCOUNT = 'devstoreaccount1';
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/** Ports on 127.0.0.1. */
export interface AzuritePorts {
  blob: number;
  queue: number;
  table: number;
}

/** Where Azurite keeps its data and listens. */
export interface AzuriteOptions {
  /** undefined: in memory. */
  folder: string | undefined;
  ports: AzuritePorts;
  logFile: string;
  /** Every request in the log; default false. */
  logRequests?: boolean;
}

/** Starts Azurite and waits until its three services listen. Its ready value is the connection string. */
export function startAzurite({
  folder,
  ports,
  logFile,
  logRequests = false,
}: AzuriteOptions): Promise<RunningProcess<string>> {
  const listening = new Set<string>();
  return startProcess({
    name: 'Azurite',
    script: azuriteScript(),
    args: [
      folder === undefined ? ['--inMemoryPersistence'] : ['--location', folder],
      ['--blobPort', String(ports.blob), '--queuePort', String(ports.queue), '--tablePort', String(ports.table)],
      // SDKs ask for API versions newer than Azurite knows, for nothing that it lacks.
      ['--skipApiVersionCheck', '--disableTelemetry', ...(logRequests ? [] : ['--silent'])],
    ].flat(),
    logFile,
    readReady: (line) => {
      const service = /Azurite (\w+) service is successfully listening/.exec(line)?.[1];
      if (service !== undefined) listening.add(service);
      return listening.size === 3 ? azuriteConnectionString(ports) : undefined;
    },
  });
}

/** For the SDKs' `fromConnectionString` and the host's connection settings. */
export function azuriteConnectionString(ports: AzuritePorts): string {
  const endpoint = (name: string, port: number): string => `${name}Endpoint=http://127.0.0.1:${port}/${ACCOUNT};`;
  const endpoints = [endpoint('Blob', ports.blob), endpoint('Queue', ports.queue), endpoint('Table', ports.table)];
  return `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${KEY};${endpoints.join('')}`;
}

function azuriteScript(): string {
  const manifest = createRequire(import.meta.url).resolve('azurite/package.json');
  const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: { azurite: string } };
  return join(dirname(manifest), bin.azurite);
}
