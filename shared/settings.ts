import { isPoolName } from './contract/names.ts';

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;

/** A connection as the Functions host reads it: a connection string, or service URIs with a managed identity. */
export interface StorageConnection {
  connectionString?: string;
  blobServiceUri?: string;
  queueServiceUri?: string;
  tableServiceUri?: string;
  clientId?: string;
}
export interface ServiceBusConnection {
  connectionString?: string;
  fullyQualifiedNamespace?: string;
  clientId?: string;
}

/** The targets of telemetry. If a field is absent, nothing is sent to its target. */
export interface TelemetrySettings {
  /** Base address of an OTLP collector over HTTP, such as `http://localhost:4318`. */
  otlpEndpoint?: string;
  /** Connection string of an Application Insights component. */
  connectionString?: string;
  /** Client id of the identity that writes to the component. If absent, the connection string is sufficient. */
  clientId?: string;
}

/**
 * Addresses of pages of the telemetry back end, each with a placeholder. If a field is absent, there is no such page.
 */
export interface TelemetryLinks {
  /** The logs of a batch; `{batch}` is replaced by its id. */
  logs?: string;
  /** The trace of a batch; `{trace}` is replaced by the id of the trace. */
  trace?: string;
}

/** Name and default of every setting of the app; docs/deploy.md explains each. */
export const DEFAULTS = {
  SLUICE_POOL: '',
  SLUICE_TOPIC: 'sluice-events',
  SLUICE_SUBSCRIPTION: 'wake',
  SLUICE_SWEEP_SCHEDULE: '0 */15 * * * *',
  SLUICE_INBOX_SCHEDULE: '',
  /**
   * Just below the limit of the platform (210 MB; source: Microsoft Learn, functions-scale), so that clients get our
   * error.
   */
  SLUICE_MAX_BODY_BYTES: String(200 * MiB),
  SLUICE_MAX_INBOX_BYTES: String(8 * GiB),
  SLUICE_MAX_DECODED_BYTES: String(16 * GiB),
  SLUICE_MAX_RECORD_BYTES: String(256 * 1024),
  /** The number of 170-byte records (usage data) in SLUICE_MAX_DECODED_BYTES. */
  SLUICE_MAX_ITEMS: '100000000',
  SLUICE_THREADS: '0',
  SLUICE_THREAD_MEMORY_MB: '512',
  SLUICE_EARLY_THREADS: 'false',
  SLUICE_SLICE_SECONDS: '30',
  SLUICE_VISIBILITY_SECONDS: '300',
  SLUICE_CAPACITY: '125',
  SLUICE_PRICE_SHEET: '2026',
  SLUICE_LOGS_LINK: '',
  SLUICE_TRACE_LINK: '',
} as const;

/** The settings are invalid; the message lists every problem. */
export class SettingsError extends Error {
  override name = 'SettingsError';
}

/** `sluice package` replaces the name by a constant. */
declare const SLUICE_BUILD: string | undefined;

type Environment = Readonly<Record<string, string | undefined>>;

/** All settings of the environment, read once. Sizes are in bytes, times in the unit of their name. */
export type Settings = ReturnType<typeof readSettings>;

/**
 * Reads all settings from an environment. An empty value counts as absent.
 * @throws SettingsError that lists all problems.
 */
export function readSettings(env: Environment) {
  const problems: string[] = [];
  const text = (name: keyof typeof DEFAULTS): string => env[name] || DEFAULTS[name];
  const whole = (name: keyof typeof DEFAULTS, min: number, max: number): number => {
    const value = Number(text(name));
    if (Number.isInteger(value) && value >= min && value <= max) return value;
    problems.push(`${name} must be a whole number from ${min} to ${max}, got "${text(name)}"`);
    return min;
  };
  const flag = (name: keyof typeof DEFAULTS): boolean => {
    const value = text(name).toLowerCase();
    if (value !== 'true' && value !== 'false') problems.push(`${name} must be true or false, got "${text(name)}"`);
    return value === 'true';
  };
  const pool = text('SLUICE_POOL') || undefined;
  if (pool !== undefined && !isPoolName(pool)) problems.push(`SLUICE_POOL must be a lower-case word, got "${pool}"`);
  const settings = {
    storage: readStorage(env, problems),
    serviceBus: readServiceBus(env, problems),
    /** The platform's name of this instance of the app; undefined outside the platform. */
    instance: env.WEBSITE_INSTANCE_ID || undefined,
    /** Identifies the content of the package; undefined if the app was not packaged. */
    build: typeof SLUICE_BUILD === 'string' ? SLUICE_BUILD : undefined,
    /** Whether App Service authentication is in front of the app, so that its headers can be trusted. */
    isAuthenticated: env.WEBSITE_AUTH_ENABLED?.toLowerCase() === 'true',
    /** If undefined, this app runs the workloads of all pools. */
    pool,
    topic: text('SLUICE_TOPIC'),
    subscription: text('SLUICE_SUBSCRIPTION'),
    sweepSchedule: text('SLUICE_SWEEP_SCHEDULE'),
    /** If undefined, the inbox is not collected. */
    inboxSchedule: text('SLUICE_INBOX_SCHEDULE') || undefined,
    maxBodyBytes: whole('SLUICE_MAX_BODY_BYTES', 1, 210 * MiB),
    maxInboxBytes: whole('SLUICE_MAX_INBOX_BYTES', 1, 1024 * GiB),
    maxDecodedBytes: whole('SLUICE_MAX_DECODED_BYTES', 1, 1024 * GiB),
    maxRecordBytes: whole('SLUICE_MAX_RECORD_BYTES', 2, 16 * MiB),
    maxItems: whole('SLUICE_MAX_ITEMS', 1, 1_000_000_000),
    /** 0 means one thread per CPU core. */
    threads: whole('SLUICE_THREADS', 0, 64),
    /** Whether worker threads start with the app, and not at the first chunk. */
    startsThreadsEarly: flag('SLUICE_EARLY_THREADS'),
    threadMemoryMb: whole('SLUICE_THREAD_MEMORY_MB', 16, 65_536),
    sliceSeconds: whole('SLUICE_SLICE_SECONDS', 1, 120),
    visibilitySeconds: whole('SLUICE_VISIBILITY_SECONDS', 2, 86_400),
    /**
     * Activities that all instances of the pool can run at the same time: instances × maxConcurrentActivityFunctions of
     * host.json. The plan leaves one of five for collecting.
     */
    capacity: whole('SLUICE_CAPACITY', 1, 5_000),
    priceSheet: text('SLUICE_PRICE_SHEET'),
    /** If undefined, no telemetry target is configured, and no SDK is loaded. */
    telemetry: readTelemetry(env, problems),
    links: readLinks({ logs: text('SLUICE_LOGS_LINK'), trace: text('SLUICE_TRACE_LINK') }, problems),
  };
  if (problems.length > 0) throw new SettingsError(`Settings are invalid:\n- ${problems.join('\n- ')}`);
  return Object.freeze(settings);
}

function readStorage(env: Environment, problems: string[]): StorageConnection {
  const connectionString = env.SluiceStorage;
  if (connectionString) return { connectionString };
  const [blobServiceUri, queueServiceUri, tableServiceUri] = ['blob', 'queue', 'table'].map(
    (service) => env[`SluiceStorage__${service}ServiceUri`],
  );
  if (!blobServiceUri || !queueServiceUri || !tableServiceUri) {
    problems.push(
      'SluiceStorage must be a connection string, or SluiceStorage__blobServiceUri, __queueServiceUri and __tableServiceUri must all be set',
    );
    return {};
  }
  return { blobServiceUri, queueServiceUri, tableServiceUri, ...identity(env.SluiceStorage__clientId) };
}

function readServiceBus(env: Environment, problems: string[]): ServiceBusConnection {
  const connectionString = env.SluiceServiceBus;
  if (connectionString) return { connectionString };
  const fullyQualifiedNamespace = env.SluiceServiceBus__fullyQualifiedNamespace;
  if (!fullyQualifiedNamespace) {
    problems.push(
      'SluiceServiceBus must be a connection string, or SluiceServiceBus__fullyQualifiedNamespace must be set',
    );
    return {};
  }
  return { fullyQualifiedNamespace, ...identity(env.SluiceServiceBus__clientId) };
}

/** Reads the variables that the platform and every OpenTelemetry SDK use. */
function readTelemetry(env: Environment, problems: string[]): TelemetrySettings | undefined {
  const otlpEndpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  const connectionString = env.APPLICATIONINSIGHTS_CONNECTION_STRING;
  if (otlpEndpoint && !/^https?:/.test(otlpEndpoint))
    problems.push(`OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https address, got "${otlpEndpoint}"`);
  if (!otlpEndpoint && !connectionString) return undefined;
  return {
    ...(otlpEndpoint ? { otlpEndpoint } : {}),
    ...(connectionString ? { connectionString } : {}),
    ...identity(/(?:^|;)ClientId=([^;]+)/i.exec(env.APPLICATIONINSIGHTS_AUTHENTICATION_STRING ?? '')?.[1]),
  };
}

const PLACEHOLDERS = { logs: '{batch}', trace: '{trace}' } as const;

/** Reads addresses that the dashboard shows as links, so only http and https are allowed. */
function readLinks(templates: Readonly<Record<keyof TelemetryLinks, string>>, problems: string[]): TelemetryLinks {
  const links: TelemetryLinks = {};
  for (const name of ['logs', 'trace'] as const) {
    const [template, placeholder] = [templates[name], PLACEHOLDERS[name]];
    if (template === '') continue;
    if (/^https?:\/\/[^/]/.test(template) && template.includes(placeholder)) links[name] = template;
    else
      problems.push(
        `SLUICE_${name.toUpperCase()}_LINK must be an http or https address with ${placeholder} in it, got "${template}"`,
      );
  }
  return links;
}

const identity = (clientId: string | undefined): { clientId?: string } => (clientId ? { clientId } : {});
