import { toError } from '../host/errors.ts';
import type { CorsOptions } from '../host/http/cors.ts';
import type { LocalSettings } from '../host/settings/local-settings.ts';
import { type NamespaceDefinition, parseConfig } from '../service-bus/config/parse-config.ts';
import { type EmbeddedSettings, findEmbeddedSettings } from './embedded.ts';
import { deriveEntities, findMissingEntities, findTriggerSources } from './entities.ts';
import { CORE_TOOLS, StartError } from './errors.ts';
import type { Inspection } from './inspection.ts';
import type { StartOptions } from './program.ts';

const DEFAULT_PORT = 7071;

/** The host's settings from the command line and local.settings.json. */
export interface HostPlan {
  port: number;
  cors: CorsOptions | undefined;
}

/** Combines options and local settings. Options take precedence. Throws StartError for credentials with every origin. */
export function planHost(options: StartOptions, local: LocalSettings): HostPlan {
  const origins = options.cors ?? local.cors?.origins;
  const credentials = options.corsCredentials ?? local.cors?.credentials ?? false;
  if (credentials && origins === undefined) {
    throw new StartError(['--cors-credentials: expected origins in --cors or Host.CORS, got none']);
  }
  if (credentials && origins?.includes('*')) {
    throw new StartError(['CORS: credentials require a list of origins, got the origin *']);
  }
  return { port: options.port ?? local.httpPort ?? DEFAULT_PORT, cors: origins && { origins, credentials } };
}

/** Returns the environment variables that select functions, with the same names as in Core Tools. */
export function functionSettings(names: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(names.map((name, index) => [`AzureFunctionsJobHost__functions__${index}`, name]));
}

/** Throws StartError with a line per problem: no functions, unknown names, functions that cannot run. */
export function assertCanRun(inspection: Inspection, wanted: readonly string[] = []): asserts inspection is Loaded {
  if (!inspection.isLoaded) throw new StartError([inspection.problem], { detail: inspection.detail });
  const { registered, functions } = inspection;
  const known = registered.map((name) => name.toLowerCase());
  const unknown = wanted.filter((name) => !known.includes(name.toLowerCase()));
  if (unknown.length > 0) {
    throw new StartError([`--functions: expected names of ${registered.join(', ')}; got ${unknown.join(', ')}`]);
  }
  const refused = functions.filter(({ state }) => state === 'refused');
  if (refused.length === 0) return;
  const problems = refused.map(({ name, problem }) => `function '${name}': ${problem}`);
  const others = functions.filter(({ state }) => state === 'served').map(({ name }) => name);
  throw new StartError(
    others.length === 0 ? problems : [...problems, `the other functions start with --functions ${others.join(' ')}`],
  );
}

type Loaded = Extract<Inspection, { isLoaded: true }>;

/** The embedded services of a start. */
export interface ServicePlan {
  embedded: EmbeddedSettings;
  /** For the broker. Undefined if no setting selects it. */
  entities: unknown;
  namespace: NamespaceDefinition | undefined;
}

/** The file of `--entities`. */
export interface EntitiesFile {
  path: string;
  config: unknown;
}

/**
 * Decides which services are embedded, and with which entities. Throws StartError if the entities do not match the triggers.
 */
export function planServices(
  env: NodeJS.ProcessEnv,
  { functions }: Pick<Loaded, 'functions'>,
  file: EntitiesFile | undefined,
): ServicePlan {
  const embedded = findEmbeddedSettings(env);
  if (embedded.serviceBus.length === 0) {
    if (!file) return { embedded, entities: undefined, namespace: undefined };
    throw new StartError([
      '--entities: expected a setting with "UseDevelopmentEmulator=true", which selects the embedded Service Bus; got none',
    ]);
  }
  const sources = findTriggerSources(functions);
  const entities = file?.config ?? deriveEntities(sources);
  const namespace = readNamespace(entities, file?.path ?? 'the triggers of the app');
  const missing = findMissingEntities(sources, namespace);
  if (missing.length > 0) throw new StartError(missing.map((problem) => `${file?.path}: ${problem}`));
  return { embedded, entities, namespace };
}

function readNamespace(entities: unknown, where: string): NamespaceDefinition {
  try {
    return parseConfig(entities);
  } catch (error: unknown) {
    throw new StartError([`${where}: ${toError(error).message}`], { cause: error });
  }
}

/** Throws StartError for an app in another language. */
export function assertNodeApp(env: NodeJS.ProcessEnv): void {
  const runtime = env.FUNCTIONS_WORKER_RUNTIME;
  if (runtime === undefined || runtime === '' || runtime.toLowerCase() === 'node') return;
  throw new StartError([`FUNCTIONS_WORKER_RUNTIME: expected node, got ${runtime}; ${CORE_TOOLS}`]);
}
