/** The settings that follow from environment, profile and global options. The only place that names the variables. */
import type { Environment } from './process/environment.ts';
import { UsageError } from './process/errors.ts';
import type { Profile } from './profiles/store.ts';

/** What a command may write: for people, or for scripts. */
export const OUTPUT_FORMS = ['table', 'json', 'csv'] as const;
export type OutputForm = (typeof OUTPUT_FORMS)[number];

/** The options that every command has. */
export interface GlobalOptions {
  url?: string;
  key?: string;
  profile?: string;
  operator?: string;
  json?: boolean;
  output?: OutputForm;
  quiet?: boolean;
  /** False with --no-color. */
  color?: boolean;
}

/** How the pipeline is reached, and how much is printed. */
export interface CliSettings {
  /** Of the app, without `/api` and without a slash at the end. */
  readonly url: string;
  /** Whether somebody named the app: by option, variable or profile. */
  readonly isUrlGiven: boolean;
  /** For the routes of client systems. */
  readonly key: string | undefined;
  /** For the routes of operators; the client's key, if there is no other. */
  readonly operatorKey: string | undefined;
  /** Who acts, for the audit log; nobody checks it. */
  readonly operator: string | undefined;
  /** Connection string, or address with or without a SAS, of the storage account that has the inbox. */
  readonly inbox: string | undefined;
  /** Id of the Log Analytics workspace that has the app's log. */
  readonly workspace: string | undefined;
  /** The requested form; undefined: the command decides. */
  readonly output: OutputForm | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** The variables, with their meaning for `--help`. */
export const VARIABLES = {
  SLUICE_URL: 'address of the app; default http://127.0.0.1:7071',
  SLUICE_KEY: 'function key of a client system',
  SLUICE_OPERATOR_KEY: 'function key of an operator; default SLUICE_KEY',
  SLUICE_OPERATOR: 'who acts, for the audit log',
  SLUICE_PROFILE: 'a deployment that sluice login knows, unless SLUICE_URL names one',
  SLUICE_INBOX_CONNECTION: 'storage of the inbox, for uploads over the HTTP limit',
  SLUICE_WORKSPACE: 'id of the Log Analytics workspace, for logs',
} as const;

const DEFAULT_URL = 'http://127.0.0.1:7071';

/**
 * Reads them; an option goes before its variable, a variable before the profile, and an empty variable counts as missing.
 * A profile that was chosen by an option goes before the variables. Throws UsageError.
 */
export function readCliSettings(env: Environment, options: GlobalOptions, profile?: Profile): CliSettings {
  const variable = (name: keyof typeof VARIABLES): string | undefined => env[name] || undefined;
  const ofEnv: Partial<Profile> = {
    ...definedOf('url', variable('SLUICE_URL')),
    ...definedOf('key', variable('SLUICE_KEY')),
    ...definedOf('operatorKey', variable('SLUICE_OPERATOR_KEY')),
    ...definedOf('inbox', variable('SLUICE_INBOX_CONNECTION')),
    ...definedOf('workspace', variable('SLUICE_WORKSPACE')),
  };
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
    throw new UsageError(`--json: is the same as --output json, and does not go with --output ${output}`);
  return json === true || output === 'json';
}

/** Both keys are of one source: that of a client in the environment must not meet that of an operator elsewhere. */
function keysOf(env: Partial<Profile>, profile: Partial<Profile> = {}): Partial<Profile> {
  const { key, operatorKey } = env.key === undefined && env.operatorKey === undefined ? profile : env;
  return { key, operatorKey } as Partial<Profile>;
}

const definedOf = <K extends keyof Profile>(name: K, value: string | undefined): Partial<Profile> =>
  value === undefined ? {} : { [name]: value };

/** Returns the address without `/api` and without a slash at the end. Throws UsageError for what is no address. */
export function readUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`--url: expected an address such as https://<app>.azurewebsites.net, got "${text}"`);
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/api$/, '');
}
