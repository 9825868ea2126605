import { FunctionRefusedError } from '../errors.ts';

/** Environment variables: the only source of settings once `local.settings.json` is merged in. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Looks a setting up, ignoring case as the Functions configuration does; `:` and `__` mean the same. Empty = missing. */
export function findSetting(env: Environment, name: string): string | undefined {
  const exact = env[name];
  if (exact) return exact;
  const wanted = normalize(name);
  const key = Object.keys(env).find((candidate) => normalize(candidate) === wanted && env[candidate]);
  return key === undefined ? undefined : env[key];
}

function normalize(name: string): string {
  return name.replaceAll(':', '__').toLowerCase();
}

/** The name of this instance of the app, as Azure gives it; 'local' when nobody has. */
export const instanceId = (env: Environment): string => env.WEBSITE_INSTANCE_ID || 'local';

/** Replaces every `%NAME%`. Throws when a name has no setting. */
export function resolveSettings(text: string, env: Environment): string {
  return text.replace(/%([^%]+)%/g, (_, name: string) => {
    const value = findSetting(env, name);
    if (value === undefined) {
      throw new FunctionRefusedError(
        `'%${name}%' does not resolve to a value: set '${name}' in local.settings.json (Values) or in the environment.`,
      );
    }
    return value;
  });
}

/** Replaces every `%NAME%` in all strings of a JSON-like value. Throws when a name has no setting. */
export function resolveSettingsDeep<T>(value: T, env: Environment): T;
export function resolveSettingsDeep(value: unknown, env: Environment): unknown {
  if (typeof value === 'string') return resolveSettings(value, env);
  if (Array.isArray(value)) return value.map((entry: unknown) => resolveSettingsDeep(entry, env));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, resolveSettingsDeep(entry, env)]));
}

/** Whether `AzureWebJobs.<name>.Disabled` (or the form with underscores, for shells that drop dots) says so. */
export function isDisabled(functionName: string, env: Environment): boolean {
  return [`AzureWebJobs.${functionName}.Disabled`, `AzureWebJobs_${functionName}_Disabled`]
    .map((name) => findSetting(env, name)?.toLowerCase())
    .some((value) => value === 'true' || value === '1');
}
