import type { DurableBackend, DurableBackendOptions } from '../durable/types.ts';
import type { HostedFunction } from './hosted-function.ts';
import type { CorsOptions } from './http/cors.ts';
import type { HostKeys } from './http/keys.ts';

/** How a host is started. */
export interface HostOptions {
  /** Folder with host.json and package.json. */
  appFolder: string;
  /** 0 = a free port; default: `Host.LocalHttpPort` of local.settings.json, else 7071. */
  port?: number;
  /** Set in `process.env` before the app is loaded; they win over what is there and over local.settings.json. */
  env?: Readonly<Record<string, string>>;
  /** Whether the app's local.settings.json is read; default true. */
  localSettings?: boolean;
  /** Default: `Host.CORS` and `Host.CORSCredentials` of local.settings.json. */
  cors?: CorsOptions;
  /** Enforces function keys; default false. */
  enableAuth?: boolean;
  /** Default: `keys.json` in the state folder, made with random keys when it does not exist. */
  keys?: HostKeys;
  /** Folder for timer statuses, keys and the durable store. */
  stateDir: string;
  /** Durable backend; file defaults to `durable.sqlite` in the state folder. */
  durable?: Partial<Pick<DurableBackendOptions, 'file' | 'delays'>>;
  /** Origin of a task hub that several hosts share; default: this host has one of its own, by `durable`. */
  taskHubUrl?: string;
  /** Origin at which clients reach the app; default: the listener's own. */
  publicUrl?: string;
  /** Receives every line; default: standard output. */
  log?: (line: string) => void;
  /** Prints the functions at the start, and why one is not served; default true. */
  functionList?: boolean;
  /** Shows what the host itself does, too. */
  verbose?: boolean;
  /** Milliseconds without a begun answer until the client gets 502; default 230 s. */
  responseTimeoutMs?: number;
  /** Milliseconds that running invocations get to end at a stop; default 10 s. */
  graceMs?: number;
}

/** A host that runs. */
export interface RunningHost {
  port: number;
  url: string;
  functions: readonly HostedFunction[];
  /** Set when the app has durable bindings. */
  durable?: DurableBackend;
  /** Stops listeners, lets running invocations end, runs appTerminate hooks. */
  stop(): Promise<void>;
}
