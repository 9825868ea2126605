/** What the environment and the options that every command has come to. The only place that knows the variables' names. */
import { UsageError } from './errors.ts';

/** The options that every command has. */
export interface GlobalOptions {
  url?: string;
  key?: string;
  json?: boolean;
  quiet?: boolean;
}

/** How the pipeline is reached, and what is told of it. */
export interface CliSettings {
  /** Of the app, without `/api` and without a slash at the end. */
  readonly url: string;
  /** For the routes of client systems. */
  readonly key: string | undefined;
  /** For the routes of operators; the client's key, if there is no other. */
  readonly operatorKey: string | undefined;
  /** Connection string, or address with or without a SAS, of the storage account that has the inbox. */
  readonly inbox: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** The variables, with their meaning for `--help`. */
export const VARIABLES = {
  SLUICE_URL: 'address of the app; default http://127.0.0.1:7071',
  SLUICE_KEY: 'function key of a client system',
  SLUICE_OPERATOR_KEY: 'function key of an operator; default SLUICE_KEY',
  SLUICE_INBOX_CONNECTION: 'storage of the inbox, for uploads over the HTTP limit',
} as const;

const DEFAULT_URL = 'http://127.0.0.1:7071';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Reads them; an option goes before its variable, and an empty variable counts as missing. Throws UsageError. */
export function readCliSettings(env: Environment, options: GlobalOptions): CliSettings {
  const variable = (name: keyof typeof VARIABLES): string | undefined => env[name] || undefined;
  const key = options.key ?? variable('SLUICE_KEY');
  return {
    url: readUrl(options.url ?? variable('SLUICE_URL') ?? DEFAULT_URL),
    key,
    operatorKey: options.key ?? variable('SLUICE_OPERATOR_KEY') ?? key,
    inbox: variable('SLUICE_INBOX_CONNECTION'),
    json: options.json ?? false,
    quiet: options.quiet ?? false,
  };
}

function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`--url: expected an address such as https://<app>.azurewebsites.net, got "${text}"`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/api$/, '');
}

/** What relative files are relative to: npm runs scripts in the package's folder, and says where it was called. */
export const callerFolder = (env: Environment, cwd: string): string =>
  ['sluice', 'new-workload'].includes(env.npm_lifecycle_event ?? '') && env.INIT_CWD ? env.INIT_CWD : cwd;
