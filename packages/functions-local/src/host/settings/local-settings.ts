import { HostStartError } from '../errors.ts';
import { type CorsOptions, readOrigins } from '../http/cors.ts';
import { type Environment, findSetting } from './environment.ts';
import { isRecord } from './json.ts';
import { parseJsonObject } from './parse-json.ts';

/** The parts of `local.settings.json` that a host reads. */
export interface LocalSettings {
  /** Variables to set if they are not defined in the environment. */
  values: Record<string, string>;
  httpPort?: number;
  /** Absent if `Host.CORS` contains no origin. */
  cors?: CorsOptions;
}

/** Parses `local.settings.json`. Throws if it is not a JSON object, or encrypted. */
export function parseLocalSettings(text: string): LocalSettings {
  const json = parseJsonObject(text, 'local.settings.json');
  // The file counts as encrypted unless it contains false.
  if (json.IsEncrypted !== false) {
    throw new HostStartError(
      'local.settings.json: expected "IsEncrypted": false; encrypted settings are not supported.',
    );
  }
  const host = isRecord(json.Host) ? json.Host : {};
  const port = Number(host.LocalHttpPort);
  const origins = readOrigins(typeof host.CORS === 'string' ? host.CORS : '');
  return {
    values: { ...readValues(json.Values), ...readConnectionStrings(json.ConnectionStrings) },
    ...(Number.isInteger(port) ? { httpPort: port } : {}),
    ...(origins.length > 0 ? { cors: { origins, credentials: host.CORSCredentials === true } } : {}),
  };
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

/** Splits local values into those to set, and those that the environment defines with a different value. */
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
