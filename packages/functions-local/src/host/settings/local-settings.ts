import { HostStartError } from '../errors.ts';
import { type Environment, findSetting } from './environment.ts';
import { isRecord } from './json.ts';

/** `local.settings.json`, reduced to what a host reads from it. */
export interface LocalSettings {
  /** Variables to set where the environment has none. */
  values: Record<string, string>;
  httpPort?: number;
}

/** Reads the text of a `local.settings.json`. Throws when it is no JSON object or encrypted. */
export function parseLocalSettings(text: string): LocalSettings {
  const json = parse(text);
  // The file counts as encrypted unless it says that it is not.
  if (json.IsEncrypted !== false) {
    throw new HostStartError(
      'local.settings.json: expected "IsEncrypted": false; encrypted settings are not supported.',
    );
  }
  const port = isRecord(json.Host) ? Number(json.Host.LocalHttpPort) : Number.NaN;
  return {
    values: { ...readValues(json.Values), ...readConnectionStrings(json.ConnectionStrings) },
    ...(Number.isInteger(port) ? { httpPort: port } : {}),
  };
}

function parse(text: string): Record<string, unknown> {
  try {
    const json: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (isRecord(json)) return json;
  } catch (error: unknown) {
    throw new HostStartError('local.settings.json: not valid JSON.', { cause: error });
  }
  throw new HostStartError('local.settings.json: expected a JSON object.');
}

function readValues(values: unknown): Record<string, string> {
  if (!isRecord(values)) return {};
  const usable = Object.entries(values).filter(([key, value]) => key !== '' && value !== null && value !== undefined);
  return Object.fromEntries(usable.map(([key, value]) => [key, String(value)]));
}

function readConnectionStrings(section: unknown): Record<string, string> {
  if (!isRecord(section)) return {};
  const entries = Object.entries(section).map(([name, value]) => {
    const text = isRecord(value) ? value.ConnectionString : value;
    return [`ConnectionStrings:${name}`, typeof text === 'string' ? text : ''] as const;
  });
  return Object.fromEntries(entries.filter(([, text]) => text !== ''));
}

/** Splits local values into those to set and those that the environment already defines with another value. */
export function mergeIntoEnvironment(
  values: Record<string, string>,
  env: Environment,
): { added: Record<string, string>; skipped: string[] } {
  const added: Record<string, string> = {};
  const skipped: string[] = [];
  for (const [name, value] of Object.entries(values)) {
    const defined = findSetting(env, name);
    if (defined === undefined) added[name] = value;
    else if (defined !== value) skipped.push(name);
  }
  return { added, skipped };
}
