import type { ClientOptions } from '../storage/index.ts';
import type { Instance } from './instances.ts';
import type { Part } from './part.ts';
import type { OutputListener } from './process/process-output.ts';
import type { StorageLayout } from './storage/make-storage.ts';

/** The connection strings from which the app's settings are created. */
export interface Connections {
  storage: string;
  serviceBus: string;
}

/** Options of a stack. The stack has no defaults for a particular app. Storage and broker are optional. */
export interface PartialStackOptions {
  /** Folder for all data and logs, used by one stack at a time. Data of an earlier run is used again. */
  folder: string;
  /** Folder with the app's host.json and package.json. */
  appFolder: string;
  /** Service Bus entities, in the format of the official emulator's `config.json`. If absent, no broker is started. */
  entities?: unknown;
  /** Containers and tables to create. If absent, no storage is started. */
  layout?: StorageLayout;
  /** How storage behaves towards the app: an interceptor that injects faults, a clock, pages. Defaults to Azure's behaviour. */
  storageClient?: ClientOptions;
  /** Returns the environment of the app, in addition to this process's. Called before storage and broker are running. */
  settings(connections: Partial<Connections>): Record<string, string>;
  /**
   * Port of the app. If it is not free, the start throws PortInUseError. Defaults to the port of the folder's last run, if
   * free.
   */
  port?: number;
  /** Port of the app in a folder without an earlier run, if it is free. Defaults to any free port. */
  preferredPort?: number;
  /** Number of host processes with the app, from 1 to 16. Defaults to 1. More than one are behind a router. */
  instances?: number;
  /** Restarts an instance that terminated unexpectedly, after a wait. Defaults to true. */
  restart?: boolean;
  /** Milliseconds for running invocations to finish when an instance is drained or the stack is stopped. Defaults to 10 s. */
  graceMs?: number;
  /** Whether the app has durable functions and therefore needs a task hub. Defaults to true. */
  durable?: boolean;
  /** How durable work is dispatched: immediately ('push', the default), or by polling, as with Azure Storage ('azure'). */
  durableDelays?: 'push' | 'azure';
  /**
   * For fault tests. The task hub posts each change to `<url>/<operation>/<before|after>`. Any answer but 200 makes the
   * change fail.
   */
  durableFaultUrl?: string;
  /** Called with a message for each started part, and for each instance that terminated unexpectedly. */
  onProgress?: (line: string) => void;
  /** Receives each line of output of the host and the app. By default, it is only logged. */
  onHostOutput?: OutputListener;
  /**
   * Receives each warning and error of the task hub, for example an activity that runs again. By default, they are only
   * logged.
   */
  onHubWarning?: (line: string) => void;
  /** Whether the host enforces function keys, as on Azure. Defaults to true. */
  enforceKeys?: boolean;
  /** Additional arguments of the host's command. Defaults to none. */
  hostArguments?: readonly string[];
}

/** Options of a stack with storage and broker. */
export interface StackOptions extends Omit<PartialStackOptions, 'settings' | 'enforceKeys' | 'durable'> {
  entities: unknown;
  layout: StorageLayout;
  settings(connections: Connections): Record<string, string>;
}

/** The keys of the host: `master` is accepted everywhere, `function` where clients are allowed. */
export interface StackKeys {
  master: string;
  function: string;
}

/** A running stack. */
export interface LocalStack extends Connections {
  /** The app's address: the router's, or that of the only host. Without a trailing slash. */
  readonly url: string;
  readonly keys: StackKeys;
  readonly folder: string;
  readonly azurite: Part<string>;
  readonly broker: Part<string>;
  readonly taskHub: Part<string>;
  readonly instances: readonly [Instance, ...Instance[]];
  /** The name and address of each part. */
  readonly addresses: readonly (readonly [name: string, address: string])[];
  /** Resolves with a message when a part terminates unexpectedly and is not restarted. */
  readonly failed: Promise<string>;
  /**
   * Stops all parts in the order of their dependencies, and releases the folder. Each call resolves when everything is
   * stopped.
   */
  stop(): Promise<void>;
}

type OptionalPart = 'azurite' | 'broker' | 'taskHub' | 'storage' | 'serviceBus' | 'keys';

/** A running stack, with the parts that its options require. */
export type PartialStack = Omit<LocalStack, OptionalPart> & Partial<Pick<LocalStack, OptionalPart>>;

/** Options of a stack with an app, or without one until its first reload. */
export type AnyStackOptions = Omit<PartialStackOptions, 'appFolder'> &
  Pick<ReloadableOptions, 'preload'> & { appFolder?: string };

/** Options of a stack whose app changes while the stack is running. */
export interface ReloadableOptions extends Omit<StackOptions, 'appFolder'> {
  /**
   * A module that imports everything that all versions of the app import, except for `@azure/functions` and its dependents. A
   * process that has loaded the module waits for the next reload. If absent, there is no such process.
   */
  preload?: string;
}

/** A stack whose app can be replaced by newer code. It has a router, and no app until the first `reload`. */
export interface ReloadableStack extends Omit<LocalStack, 'instances'> {
  /** The instances that accept work. There is none before the first successful `reload`. */
  readonly instances: readonly Instance[];
  /**
   * Starts instances with the app in this folder, which replace the running ones. The app's address stays the same. Running
   * work finishes or returns to its queue, as in a drain. Resolves when the earlier instances have ended. If the new
   * instances do not start, rejects with ProcessStartError, and the earlier ones continue. The earlier ones are drained first
   * if host.json differs, since all instances of a task hub share it. Calls must not overlap.
   */
  reload(appFolder: string): Promise<void>;
}
