/** Reads the settings from the environment, profile and global options. No other file reads environment variables of Sluice. */
import { definedOnly } from './options.ts';
import type { Environment } from './process/environment.ts';
import { UsageError } from './process/errors.ts';
import type { Profile } from './profiles/store.ts';

export const OUTPUT_FORMS = ['table', 'json', 'csv'] as const;
export type OutputForm = (typeof OUTPUT_FORMS)[number];

export interface GlobalOptions {
  url?: string;
  key?: string;
  profile?: string;
  operator?: string;
  json?: boolean;
  output?: OutputForm;
  quiet?: boolean;
  color?: boolean;
}

export interface CliSettings {
  /** Address of the app, without `/api` and without a trailing slash. */
  readonly url: string;
  /** Whether the address was given by option, variable or profile. */
  readonly isUrlGiven: boolean;
  /** Key for the routes of client systems. */
  readonly key: string | undefined;
  /** Key for the routes of operators; defaults to the client's key. */
  readonly operatorKey: string | undefined;
  /** Name of the operator for the audit log; it is not verified. */
  readonly operator: string | undefined;
  /** Connection string of the storage account with the inbox, or its address with or without a SAS. */
  readonly inbox: string | undefined;
  /** Id of the Log Analytics workspace with the app's log. */
  readonly workspace: string | undefined;
  /** The requested output format. If undefined, the command decides. */
  readonly output: OutputForm | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** The variables with their descriptions for `--help`. */
export const VARIABLES = {
  SLUICE_URL: 'address of the app; defaults to http://127.0.0.1:7071',
  SLUICE_KEY: 'function key of a client system',
  SLUICE_OPERATOR_KEY: 'function key of an operator; defaults to SLUICE_KEY',
  SLUICE_OPERATOR: 'your name for the audit log',
  SLUICE_PROFILE: 'profile created by sluice login; ignored if SLUICE_URL is set',
  SLUICE_INBOX_CONNECTION: 'storage account of the inbox, for uploads over the HTTP limit',
  SLUICE_WORKSPACE: 'id of the Log Analytics workspace, for logs',
} as const;

const DEFAULT_URL = 'http://127.0.0.1:7071';

/**
 * Reads the settings. An option takes precedence over its variable, and a variable over the profile, except that a profile
 * chosen by option takes precedence over variables. An empty variable counts as missing. Throws UsageError.
 */
export function readCliSettings(env: Environment, options: GlobalOptions, profile?: Profile): CliSettings {
  const variable = (name: keyof typeof VARIABLES): string | undefined => env[name] || undefined;
  const ofEnv: Partial<Profile> = definedOnly({
    url: variable('SLUICE_URL'),
    key: variable('SLUICE_KEY'),
    operatorKey: variable('SLUICE_OPERATOR_KEY'),
    inbox: variable('SLUICE_INBOX_CONNECTION'),
    workspace: variable('SLUICE_WORKSPACE'),
  });
  const chosen = options.profile === undefined ? { ...profile, ...ofEnv, ...keysOf(ofEnv, profile) } : { ...profile };
  const json = isJson(options);
  return {
    url: readUrl(options.url ?? chosen.url ?? DEFAULT_URL),
    isUrlGiven: (options.url ?? chosen.url) !== undefined,
    key: options.key ?? chosen.key,
    operatorKey: options.key ?? chosen.operatorKey ?? chosen.key,
    operator: options.operator ?? variable('SLUICE_OPERATOR'),
    inbox: chosen.inbox,
    workspace: chosen.workspace,
    output: json ? 'json' : options.output,
    json,
    quiet: options.quiet ?? false,
  };
}

function isJson({ json, output }: GlobalOptions): boolean {
  if (json && output !== undefined && output !== 'json')
    throw new UsageError(`--json: means --output json, and cannot be combined with --output ${output}`);
  return json === true || output === 'json';
}

/**
 * Takes both keys from one source, so that a client's key of the environment is not combined with an operator's key of a
 * profile.
 */
function keysOf(env: Partial<Profile>, profile: Partial<Profile> = {}): Partial<Profile> {
  const { key, operatorKey } = env.key === undefined && env.operatorKey === undefined ? profile : env;
  return { key, operatorKey } as Partial<Profile>;
}

/** Returns the address without `/api` and without a trailing slash. Throws UsageError for an invalid address. */
export function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`--url: expected an address such as https://<app>.azurewebsites.net, got "${text}"`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/api$/, '');
}
