import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostStartError } from '../errors.ts';
import type { HostOptions } from '../host-options.ts';
import { DEFAULT_BODY_LIMIT_BYTES } from '../http/body.ts';
import type { CorsOptions } from '../http/cors.ts';
import { findSetting } from '../settings/environment.ts';
import { type HostConfig, readHostConfig } from '../settings/host-json.ts';
import { type LocalSettings, mergeIntoEnvironment, parseLocalSettings } from '../settings/local-settings.ts';

/** The settings that a start reads before the app is loaded. */
export interface LoadedSettings {
  config: HostConfig;
  port: number;
  cors?: CorsOptions;
  bodyLimitBytes: number;
  /** Local settings that the environment already defines. */
  skipped: string[];
}

const DEFAULT_PORT = 7071;

/** Reads the app's settings files and completes `process.env`, from which the app reads its settings. */
export function loadSettings(options: HostOptions): LoadedSettings {
  Object.assign(process.env, options.env);
  const local: LocalSettings = options.localSettings === false ? { values: {} } : readLocalSettings(options.appFolder);
  const { added, skipped } = mergeIntoEnvironment(local.values, process.env);
  Object.assign(process.env, added, {
    AzureWebJobsScriptRoot: options.appFolder,
    AZURE_FUNCTIONS_ENVIRONMENT: 'Development',
  });
  const cors = options.cors ?? local.cors;
  return {
    config: readHostConfig(readOptional(join(options.appFolder, 'host.json')), process.env),
    port: options.port ?? local.httpPort ?? DEFAULT_PORT,
    bodyLimitBytes: readBodyLimit(),
    skipped,
    ...(cors ? { cors } : {}),
  };
}

/** Reads an app's local.settings.json. Without the file, there are no values. Throws the same errors as parseLocalSettings. */
export function readLocalSettings(appFolder: string): LocalSettings {
  const text = readOptional(join(appFolder, 'local.settings.json'));
  return text === undefined ? { values: {} } : parseLocalSettings(text);
}

function readOptional(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function readBodyLimit(): number {
  const text = findSetting(process.env, 'FUNCTIONS_REQUEST_BODY_SIZE_LIMIT');
  if (text === undefined) return DEFAULT_BODY_LIMIT_BYTES;
  const bytes = Number(text);
  if (Number.isInteger(bytes) && bytes > 0) return bytes;
  throw new HostStartError(`FUNCTIONS_REQUEST_BODY_SIZE_LIMIT: expected a number of bytes, got '${text}'.`);
}
