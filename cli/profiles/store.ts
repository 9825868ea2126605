/** Stores the deployments that `sluice login` keeps, in a file that only its user may read. */
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError, UsageError } from '../process/errors.ts';
import type { Io } from '../process/io.ts';

/** How one deployment is reached. */
export interface Profile {
  url: string;
  /** Function key of a client system. */
  key?: string;
  /** Function key of an operator; default `key`. */
  operatorKey?: string;
  /** Storage of the inbox. */
  inbox?: string;
  /** Id of the Log Analytics workspace. */
  workspace?: string;
}

/** What the file holds. */
export interface Profiles {
  /** Name of the profile that counts where nothing names another. */
  current?: string;
  profiles: Record<string, Profile>;
}

type World = Pick<Io, 'env' | 'platform'>;

/** Returns the file's path by the habit of the platform; undefined where the user has no folder for settings. */
export function profilesFile({ env, platform }: World): string | undefined {
  const home = env.HOME ? join(env.HOME, '.config') : undefined;
  // A relative path is to be ignored (XDG base directory specification).
  const xdg = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : undefined;
  const folder = platform === 'win32' ? env.APPDATA : (xdg ?? home);
  return folder ? join(folder, 'sluice', 'profiles.json') : undefined;
}

/** Reads the file; one that is not there has no profiles. Throws CliError for one that others can read, or that is broken. */
export async function readProfiles(world: World): Promise<Profiles> {
  const file = profilesFile(world);
  if (file === undefined) return { profiles: {} };
  try {
    // Windows has no such bits; there the folder of the user's settings is closed to others.
    if (world.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0)
      throw new CliError(`${file} holds keys, and others can read it.`, {
        hint: `Close it with chmod 600 '${file}', and think of new keys if others did read it.`,
      });
    return profilesOf(await readFile(file, 'utf8'), file);
  } catch (error: unknown) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
    throw error;
  }
}

function profilesOf(text: string, file: string): Profiles {
  try {
    const { current, profiles } = JSON.parse(text) as Profiles;
    if (typeof profiles === 'object' && profiles !== null)
      return { profiles: { ...profiles }, ...(typeof current === 'string' ? { current } : {}) };
  } catch {
    // The parser's message would show what is around the fault, which may be a key.
  }
  throw new CliError(`${file} cannot be read as profiles.`, { hint: 'Delete it, and log in again.' });
}

/** Replaces the file: readable by its user alone, and whole at every moment. Throws CliError where there is no folder for it. */
export async function writeProfiles(world: World & Pick<Io, 'randomId'>, profiles: Profiles): Promise<string> {
  const file = profilesFile(world);
  if (file === undefined)
    throw new CliError(
      'There is no folder for settings: neither HOME nor XDG_CONFIG_HOME (on Windows APPDATA) is set.',
    );
  const folder = dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const part = `${file}.${world.randomId()}`;
  const handle = await open(part, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(profiles, null, 2)}\n`);
    await handle.sync();
  } catch (error: unknown) {
    await rm(part, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await rename(part, file);
  return file;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/;

/** Returns the name. Throws UsageError for one that is none. */
export function profileName(text: string): string {
  if (NAME.test(text)) return text;
  throw new UsageError(`expected a name of at most 40 letters, digits, dots, dashes and underscores, got "${text}"`);
}
