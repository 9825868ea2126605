import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { HostStartError, toError } from '../host/errors.ts';
import { type LocalSettings, mergeIntoEnvironment } from '../host/settings/local-settings.ts';
import { parseJsonObject } from '../host/settings/parse-json.ts';
import { readLocalSettings } from '../host/start/load-settings.ts';
import { CORE_TOOLS, StartError } from './errors.ts';
import { assertNodeApp, type EntitiesFile } from './plan-start.ts';

/** The files of an app, before it is loaded. */
export interface AppFiles {
  folder: string;
  local: LocalSettings;
  /** This process's environment and the values of local.settings.json. */
  env: NodeJS.ProcessEnv;
  /** Names in local.settings.json that the environment already contains. */
  skipped: readonly string[];
}

/** Reads the app in a folder. Throws StartError if it is not a Node app, or if its settings cannot be read. */
export function readApp(given: string, ownEnv: NodeJS.ProcessEnv): AppFiles {
  const folder = resolve(given);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new StartError([`${folder}: expected the folder of a Functions app, found no folder`]);
  }
  if (!existsSync(join(folder, 'host.json'))) {
    throw new StartError([`${folder}: expected a Functions app with a host.json, found no host.json`]);
  }
  const local = orStartError(() => readLocalSettings(folder));
  const { added, skipped } = mergeIntoEnvironment(local.values, ownEnv);
  const env = { ...ownEnv, ...added };
  assertNodeApp(env);
  return { folder, local, env, skipped };
}

/** Explains why an app registers no functions. */
export function explainNoFunctions(folder: string): string {
  // In the v3 model, each function has a folder with a function.json.
  const [file] = globSync('*/function.json', { cwd: folder });
  if (file !== undefined) return `${file}: expected the Node v4 model, found the v3 model; ${CORE_TOOLS}`;
  return `${folder}: no functions found; expected "main" of package.json to specify the files that register them`;
}

/** Reads the file of `--entities`. Throws StartError if it cannot be read. */
export function readEntities(path: string): EntitiesFile {
  try {
    return { path, config: parseJsonObject(readFileSync(path, 'utf8'), path) };
  } catch (error: unknown) {
    const { message } = toError(error);
    throw new StartError([error instanceof HostStartError ? message : `--entities: ${message}`], { cause: error });
  }
}

function orStartError<T>(read: () => T): T {
  try {
    return read();
  } catch (error: unknown) {
    if (error instanceof HostStartError) throw new StartError([error.message], { cause: error });
    throw error;
  }
}
