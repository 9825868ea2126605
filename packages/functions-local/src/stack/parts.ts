/** Starts each part of the stack as a separate process. */
import { join, resolve } from 'node:path';
import { mergeIntoEnvironment } from '../host/settings/local-settings.ts';
import { readLocalSettings } from '../host/start/load-settings.ts';
import type { ServicePorts } from '../storage/index.ts';
import { type RunningProcess, startProcess } from './process/process.ts';
import type { OutputListener } from './process/process-output.ts';
import { scriptPath } from './process/script-path.ts';
import { type SpareProcess, type SpareSurroundings, startSpare } from './process/spare-process.ts';
import { startAzurite } from './storage/azurite.ts';

/** Names of the parts' logs and data in the stack's folder. */
export const FILES = {
  storage: 'azurite',
  broker: 'service-bus.sqlite',
  entities: 'service-bus.json',
  hostState: 'host',
  taskHub: 'durable.sqlite',
  keys: 'keys.json',
  ports: 'ports.json',
  logs: 'logs',
} as const;

/** Starts Azurite without the front. The ready value is its connection string. */
export const launchStorage = (
  folder: string,
  ports: ServicePorts,
  signal?: AbortSignal,
): Promise<RunningProcess<string>> =>
  startAzurite({ folder: join(folder, FILES.storage), ports, logFile: logFile(folder, 'azurite'), signal });

/** Starts the Service Bus broker with the entities in the stack's folder. The ready value is its connection string. */
export const launchBroker = (folder: string, port: number, signal?: AbortSignal): Promise<RunningProcess<string>> =>
  startProcess({
    name: 'Service Bus broker',
    script: scriptPath(import.meta.url, '../service-bus/main'),
    args: ['--config', join(folder, FILES.entities), '--file', join(folder, FILES.broker), '--port', String(port)],
    logFile: logFile(folder, 'service-bus'),
    signal,
    readReady: connectionStringOf,
  });

/** Options of a Functions host. */
export interface HostLaunch {
  appFolder: string;
  port: number;
  settings: Readonly<Record<string, string>>;
  /** Name of the instance and of its log. Defaults to `host-1`. */
  instance?: HostName;
  /** Additional arguments of the host. Defaults to none. */
  args?: readonly string[];
  /** Whether function keys are enforced, as on Azure. Defaults to true. */
  enforceKeys?: boolean;
  onOutput?: OutputListener | undefined;
  /** Ends the host if it is aborted before the host is ready. */
  signal?: AbortSignal;
  /** A process that has already loaded the host. */
  spare?: SpareProcess | undefined;
}

/** The name of the first or only instance. */
export const FIRST_HOST = 'host-1';

/** Returns the URL in the line with which a host reports that it is ready. */
export const readHostUrl = (line: string): string | undefined => /^Host started on (\S+)/.exec(line)?.[1];

/** Starts a Functions host with the app. The ready value is its URL. */
export const launchHost = (
  folder: string,
  {
    appFolder,
    port,
    settings,
    instance = FIRST_HOST,
    args = [],
    enforceKeys = true,
    onOutput,
    signal,
    spare,
  }: HostLaunch,
): Promise<RunningProcess<string>> =>
  startProcess({
    name: `Functions host ${instance}`,
    script: scriptPath(import.meta.url, '../host/main'),
    spare,
    args: [
      resolve(appFolder),
      ...['--port', String(port)],
      ...['--state-dir', resolve(folder, FILES.hostState)],
      ...(enforceKeys ? ['--enable-auth'] : []),
      ...args,
    ],
    // As on Azure, the platform sets the instance's name. An inherited name would be the same for all instances.
    env: { ...hostSettings(appFolder, settings), WEBSITE_INSTANCE_ID: instance },
    cwd: appFolder,
    logFile: logFile(folder, instance),
    onOutput,
    signal,
    readReady: readHostUrl,
  });

/** Starts a process that loads the host and then `preload`, files of the app, for the next `launchHost`. */
export const startSpareHost = (preload: readonly string[], surroundings: SpareSurroundings): SpareProcess =>
  startSpare([scriptPath(import.meta.url, '../host/start/start-host'), ...preload], surroundings);

/** Options of a task hub. */
export interface TaskHubLaunch {
  port: number;
  delays: 'push' | 'azure';
  /** For fault tests. By default, no change fails. */
  faultUrl?: string | undefined;
  onOutput?: OutputListener | undefined;
  /** Ends the hub if it is aborted before the hub is ready. */
  signal?: AbortSignal;
}

/** Starts the durable task hub of all instances. The ready value is its URL. */
export const launchTaskHub = (
  folder: string,
  { port, delays, faultUrl, onOutput, signal }: TaskHubLaunch,
): Promise<RunningProcess<string>> =>
  startProcess({
    name: 'Durable task hub',
    script: scriptPath(import.meta.url, '../durable/hub/main'),
    args: [
      ...['--file', join(folder, FILES.hostState, FILES.taskHub), '--port', String(port), '--delays', delays],
      ...(faultUrl === undefined ? [] : ['--fault-url', faultUrl]),
    ],
    logFile: logFile(folder, 'task-hub'),
    onOutput,
    signal,
    readReady: (line) => /^Task hub on (\S+)/.exec(line)?.[1],
  });

/** Name of an instance. Numbers start at 1. */
export type HostName = `host-${number}`;

/**
 * Returns the settings of a host's process, including those of the app's local.settings.json. The host also reads the file,
 * but Node needs its own settings (NODE_OPTIONS) before that.
 */
export function hostSettings(appFolder: string, settings: HostLaunch['settings']): Record<string, string> {
  const { values } = readLocalSettings(appFolder);
  return { ...mergeIntoEnvironment(values, { ...process.env, ...settings }).added, ...settings };
}

/** Returns the log file of a part. */
export const logFile = (folder: string, part: 'azurite' | 'service-bus' | 'task-hub' | HostName): string =>
  join(folder, FILES.logs, `${part}.log`);

function connectionStringOf(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const { connectionString } = JSON.parse(line) as { connectionString?: string };
  return connectionString;
}
