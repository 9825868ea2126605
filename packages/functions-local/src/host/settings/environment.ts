import { FunctionRefusedError } from '../errors.ts';

/** Environment variables, the only source of settings after `local.settings.json` is merged. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns a setting, whose name is compared without case, as in the Functions configuration. `:` and `__` are equivalent. An
 * empty value counts as missing.
 */
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

/** Returns the name of this instance of the app, which Azure sets. Defaults to 'local'. */
export const instanceId = (env: Environment): string => env.WEBSITE_INSTANCE_ID || 'local';

/** Replaces every `%NAME%`. Throws if a setting does not exist. */
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

/** Replaces every `%NAME%` in all strings of a JSON-like value. Throws if a setting does not exist. */
export function resolveSettingsDeep<T>(value: T, env: Environment): T;
export function resolveSettingsDeep(value: unknown, env: Environment): unknown {
  if (typeof value === 'string') return resolveSettings(value, env);
  if (Array.isArray(value)) return value.map((entry: unknown) => resolveSettingsDeep(entry, env));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, resolveSettingsDeep(entry, env)]));
}

/** Whether `AzureWebJobs.<name>.Disabled` is true (or the form with underscores, for shells that do not support dots). */
export function isDisabled(functionName: string, env: Environment): boolean {
  return [`AzureWebJobs.${functionName}.Disabled`, `AzureWebJobs_${functionName}_Disabled`]
    .map((name) => findSetting(env, name)?.toLowerCase())
    .some((value) => value === 'true' || value === '1');
}
