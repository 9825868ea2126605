/** How each part of the stack is started as a process of its own. */
import { join, resolve } from 'node:path';
import { mergeIntoEnvironment } from '../host/settings/local-settings.ts';
import { readLocalSettings } from '../host/start/load-settings.ts';
import type { ServicePorts } from '../storage/index.ts';
import { type RunningProcess, startProcess } from './process/process.ts';
import type { OutputListener } from './process/process-output.ts';
import { scriptPath } from './process/script-path.ts';
import { type SpareProcess, type SpareSurroundings, startSpare } from './process/spare-process.ts';
import { startAzurite } from './storage/azurite.ts';

/** Names of the parts' logs and data inside the stack's folder. */
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

/** Azurite, without the front. Ready: its connection string. */
export const launchStorage = (
  folder: string,
  ports: ServicePorts,
  signal?: AbortSignal,
): Promise<RunningProcess<string>> =>
  startAzurite({ folder: join(folder, FILES.storage), ports, logFile: logFile(folder, 'azurite'), signal });

/** The Service Bus broker, with the entities that the stack's folder names. Ready: its connection string. */
export const launchBroker = (folder: string, port: number, signal?: AbortSignal): Promise<RunningProcess<string>> =>
  startProcess({
    name: 'Service Bus broker',
    script: scriptPath(import.meta.url, '../service-bus/main'),
    args: ['--config', join(folder, FILES.entities), '--file', join(folder, FILES.broker), '--port', String(port)],
    logFile: logFile(folder, 'service-bus'),
    signal,
    readReady: connectionStringOf,
  });

/** What a Functions host needs beside the stack's folder. */
export interface HostLaunch {
  appFolder: string;
  port: number;
  settings: Readonly<Record<string, string>>;
  /** Name of the instance, also of its log; default `host-1`. */
  instance?: HostName;
  /** Further arguments of the host; default none. */
  args?: readonly string[];
  /** Whether function keys are enforced, as on Azure; default true. */
  enforceKeys?: boolean;
  onOutput?: OutputListener | undefined;
  /** Aborted before the host is ready, it ends the host at once. */
  signal?: AbortSignal;
  /** A process that has loaded the host already. */
  spare?: SpareProcess | undefined;
}

/** The first instance's name, and that of one that is alone. */
export const FIRST_HOST = 'host-1';

/** The URL in the line with which a host says that it is ready. */
export const readHostUrl = (line: string): string | undefined => /^Host started on (\S+)/.exec(line)?.[1];

/** A Functions host with the app. Ready: its URL. */
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
    // The instance's name is the platform's to give, as on Azure: an inherited one would be the same for all instances.
    env: { ...hostSettings(appFolder, settings), WEBSITE_INSTANCE_ID: instance },
    cwd: appFolder,
    logFile: logFile(folder, instance),
    onOutput,
    signal,
    readReady: readHostUrl,
  });

/** Starts a process that loads the host, then `preload`, files of the app, for the next `launchHost`. */
export const startSpareHost = (preload: readonly string[], surroundings: SpareSurroundings): SpareProcess =>
  startSpare([scriptPath(import.meta.url, '../host/start/start-host'), ...preload], surroundings);

/** What a task hub needs beside the stack's folder. */
export interface TaskHubLaunch {
  port: number;
  delays: 'push' | 'azure';
  /** For fault tests; default: no change fails. */
  faultUrl?: string | undefined;
  onOutput?: OutputListener | undefined;
  /** Aborted before the hub is ready, it ends the hub at once. */
  signal?: AbortSignal;
}

/** The durable task hub that all instances share. Ready: its URL. */
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

/** Name of an instance: its number counts from 1. */
export type HostName = `host-${number}`;

/**
 * The settings of a host's process, with those of the app's local.settings.json. The host reads the file, too, but what Node
 * itself reads at its start (NODE_OPTIONS) has to be there before.
 */
export function hostSettings(appFolder: string, settings: HostLaunch['settings']): Record<string, string> {
  const { values } = readLocalSettings(appFolder);
  return { ...mergeIntoEnvironment(values, { ...process.env, ...settings }).added, ...settings };
}

/** Where a part's output goes. */
export const logFile = (folder: string, part: 'azurite' | 'service-bus' | 'task-hub' | HostName): string =>
  join(folder, FILES.logs, `${part}.log`);

function connectionStringOf(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  const { connectionString } = JSON.parse(line) as { connectionString?: string };
  return connectionString;
}
