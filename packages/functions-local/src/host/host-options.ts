import type { DurableBackend, DurableBackendOptions } from '../durable/types.ts';
import type { HostedFunction } from './hosted-function.ts';
import type { CorsOptions } from './http/cors.ts';
import type { HostKeys } from './http/keys.ts';

/** Options of a host. */
export interface HostOptions {
  /** Folder with host.json and package.json. */
  appFolder: string;
  /** 0 selects a free port. Defaults to `Host.LocalHttpPort` of local.settings.json, otherwise 7071. */
  port?: number;
  /** Set in `process.env` before the app is loaded. Take precedence over existing values and local.settings.json. */
  env?: Readonly<Record<string, string>>;
  /** Whether the app's local.settings.json is read. Defaults to true. */
  localSettings?: boolean;
  /** Defaults to `Host.CORS` and `Host.CORSCredentials` of local.settings.json. */
  cors?: CorsOptions;
  /** Enforces function keys. Defaults to false. */
  enableAuth?: boolean;
  /** Defaults to `keys.json` in the state folder, which is created with random keys if it does not exist. */
  keys?: HostKeys;
  /** Folder for timer statuses, keys and the durable store. */
  stateDir: string;
  /** Options of the durable backend. The file defaults to `durable.sqlite` in the state folder. */
  durable?: Partial<Pick<DurableBackendOptions, 'file' | 'delays'>>;
  /** Origin of a task hub that several hosts share. If absent, this host has a separate one, with the options of `durable`. */
  taskHubUrl?: string;
  /** Origin at which clients reach the app. Defaults to the listener's origin. */
  publicUrl?: string;
  /** Receives every line. Defaults to standard output. */
  log?: (line: string) => void;
  /** Prints the functions at the start, and why a function is not served. Defaults to true. */
  functionList?: boolean;
  /** Also shows messages of the host itself. */
  verbose?: boolean;
  /** Milliseconds until a client gets 502 if no answer has started. Defaults to 230 s. */
  responseTimeoutMs?: number;
  /** Milliseconds for running invocations to finish at a stop. Defaults to 10 s. */
  graceMs?: number;
}

/** A running host. */
export interface RunningHost {
  port: number;
  url: string;
  functions: readonly HostedFunction[];
  /** Set if the app has durable bindings. */
  durable?: DurableBackend;
  /** Stops listeners, waits for running invocations, runs appTerminate hooks. */
  stop(): Promise<void>;
  /**
   * Resolves after an invocation has exceeded `functionTimeout` and the host has stopped because of it. The caller should
   * end this process, in which the handler may still run.
   */
  timedOut: Promise<void>;
}
