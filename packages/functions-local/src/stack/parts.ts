/** How each part of the stack is started as a process of its own. */
import { join } from 'node:path';
import type { ServicePorts } from '../storage/index.ts';
import { startAzurite } from './azurite.ts';
import { type RunningProcess, startProcess } from './process.ts';
import type { OutputListener } from './process-output.ts';
import { scriptPath } from './script-path.ts';

/** Names of the parts' logs and data inside the stack's folder. */
export const FILES = {
  storage: 'azurite',
  broker: 'service-bus.sqlite',
  entities: 'service-bus.json',
  hostState: 'host',
  logs: 'logs',
} as const;

/** Azurite, without the front. Ready: its connection string. */
export const launchStorage = (folder: string, ports: ServicePorts): Promise<RunningProcess<string>> =>
  startAzurite({ folder: join(folder, FILES.storage), ports, logFile: logFile(folder, 'azurite') });

/** The Service Bus broker, with the entities that the stack's folder names. Ready: its connection string. */
export const launchBroker = (folder: string, port: number): Promise<RunningProcess<string>> =>
  startProcess({
    name: 'Service Bus broker',
    script: scriptPath(import.meta.url, '../service-bus/main'),
    args: ['--config', join(folder, FILES.entities), '--file', join(folder, FILES.broker), '--port', String(port)],
    logFile: logFile(folder, 'service-bus'),
    readReady: connectionStringOf,
  });

/** What the Functions host needs beside the stack's folder. */
export interface HostLaunch {
  appFolder: string;
  port: number;
  settings: Readonly<Record<string, string>>;
  /** Further arguments of the host; default none. */
  args?: readonly string[];
  /** Whether function keys are enforced, as on Azure; default true. */
  enforceKeys?: boolean;
  onOutput?: OutputListener;
}

/** The Functions host with the app. Ready: its URL. */
export const launchHost = (folder: string, launch: HostLaunch): Promise<RunningProcess<string>> =>
  startProcess({
    name: 'Functions host',
    script: scriptPath(import.meta.url, '../host/main'),
    args: [
      launch.appFolder,
      '--port',
      String(launch.port),
      '--state-dir',
      join(folder, FILES.hostState),
      ...(launch.enforceKeys === false ? [] : ['--enable-auth']),
      ...(launch.args ?? []),
    ],
    env: launch.settings,
    logFile: logFile(folder, 'host'),
    ...(launch.onOutput ? { onOutput: launch.onOutput } : {}),
    readReady: (line) => /^Host started on (\S+)/.exec(line)?.[1],
  });

/** Where a part's output goes. */
export const logFile = (folder: string, part: 'azurite' | 'service-bus' | 'host'): string =>
  join(folder, FILES.logs, `${part}.log`);

function connectionStringOf(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const { connectionString } = JSON.parse(line) as { connectionString?: string };
  return connectionString;
}
