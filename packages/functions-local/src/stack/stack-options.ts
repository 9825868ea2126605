import type { ClientOptions } from '../storage/index.ts';
import type { Instance } from './instances.ts';
import type { Part } from './part.ts';
import type { OutputListener } from './process/process-output.ts';
import type { StorageLayout } from './storage/make-storage.ts';

/** What the app's settings are made from. */
export interface Connections {
  storage: string;
  serviceBus: string;
}

/** What is to be brought up, and for which app: the stack itself knows none. Storage and broker can be left out. */
export interface PartialStackOptions {
  /** For all data and logs, of one stack at a time; what is there from an earlier run is taken up again. */
  folder: string;
  /** Folder with the app's host.json and package.json. */
  appFolder: string;
  /** Service Bus entities, as in the `config.json` of the official emulator. Default: no broker is started. */
  entities?: unknown;
  /** Containers and tables to make. Default: no storage is started. */
  layout?: StorageLayout;
  /** How storage treats the app: an interceptor that injects faults, a clock, pages. Default: as Azure would. */
  storageClient?: ClientOptions;
  /** The environment of the app, beside this process's own; called before storage and broker are up. */
  settings(connections: Partial<Connections>): Record<string, string>;
  /** Port of the app; PortInUseError when it is not free. Default: the one of the folder's last run, if it is free. */
  port?: number;
  /** Port of the app in a folder without an earlier run, if it is free. Default: any. */
  preferredPort?: number;
  /** Host processes with the app, from 1 to 16; default 1. More than one have a router before them. */
  instances?: number;
  /** Starts an instance again that died unasked, after a wait; default true. */
  restart?: boolean;
  /** Milliseconds that running invocations get when an instance is drained or the stack is stopped; default 10 s. */
  graceMs?: number;
  /** Whether the app has durable functions, and so needs a task hub; default true. */
  durable?: boolean;
  /** How durable work is handed over: at once (default), or by polling, as Azure Storage does. */
  durableDelays?: 'push' | 'azure';
  /** For fault tests: the task hub posts each change to `<url>/<operation>/<before|after>`; any answer but 200 makes it fail. */
  durableFaultUrl?: string;
  /** Called with a message for each part that is up, and for each instance that died unasked. */
  onProgress?: (line: string) => void;
  /** Receives each line that the host and the app write; default: only the log has them. */
  onHostOutput?: OutputListener;
  /** Receives each warning and error of the task hub, such as an activity that is run again; default: only the log. */
  onHubWarning?: (line: string) => void;
  /** Whether the host enforces function keys, as on Azure; default true. */
  enforceKeys?: boolean;
  /** Further arguments of the host's command; default none. */
  hostArguments?: readonly string[];
}

/** What is to be brought up with storage and broker. */
export interface StackOptions extends Omit<PartialStackOptions, 'settings' | 'enforceKeys' | 'durable'> {
  entities: unknown;
  layout: StorageLayout;
  settings(connections: Connections): Record<string, string>;
}

/** The keys of the host: `master` opens all, `function` what a client may use. */
export interface StackKeys {
  master: string;
  function: string;
}

/** A stack that runs. */
export interface LocalStack extends Connections {
  /** Of the app: its router's, or the only host's. Without a slash at the end. */
  readonly url: string;
  readonly keys: StackKeys;
  readonly folder: string;
  readonly azurite: Part<string>;
  readonly broker: Part<string>;
  readonly taskHub: Part<string>;
  readonly instances: readonly [Instance, ...Instance[]];
  /** What each part is, and where. */
  readonly addresses: readonly (readonly [name: string, address: string])[];
  /** Resolves, in words, when a part ends unasked that is not started again. */
  readonly failed: Promise<string>;
  /** Stops all parts, those first that need the others, and frees the folder. Each call resolves when all is done. */
  stop(): Promise<void>;
}

type OptionalPart = 'azurite' | 'broker' | 'taskHub' | 'storage' | 'serviceBus' | 'keys';

/** A stack that runs, with the parts that its options asked for. */
export type PartialStack = Omit<LocalStack, OptionalPart> & Partial<Pick<LocalStack, OptionalPart>>;

/** Of a stack with an app, or without one until its first reload. */
export type AnyStackOptions = Omit<PartialStackOptions, 'appFolder'> &
  Pick<ReloadableOptions, 'preload'> & { appFolder?: string };

/** What is to be brought up for an app whose code changes while the stack is up. */
export interface ReloadableOptions extends Omit<StackOptions, 'appFolder'> {
  /**
   * A module that imports what every version of the app imports, but for `@azure/functions` and what needs it. A process
   * that has loaded it stands by for the next reload. Default: none does.
   */
  preload?: string;
}

/** A stack whose app can be replaced by newer code. It has a router, and no app until the first `reload`. */
export interface ReloadableStack extends Omit<LocalStack, 'instances'> {
  /** Those that take work: none before the first `reload` that succeeds. */
  readonly instances: readonly Instance[];
  /**
   * Starts instances with the app in this folder and has them take the place of those that run: the app's address stays,
   * and work in flight ends, or returns to its queue, as in a drain. Resolves when the earlier ones have ended. Rejects with
   * ProcessStartError when the new ones do not start; then the earlier ones go on. These are drained first where host.json
   * differs, which all instances of a task hub share. Wait for one call before the next.
   */
  reload(appFolder: string): Promise<void>;
}
