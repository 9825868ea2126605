/** Stores the profiles of `sluice login` in a file that only its user may read. */
import { chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CliError, UsageError } from '../process/errors.ts';
import type { Io } from '../process/io.ts';

export interface Profile {
  url: string;
  key?: string;
  /** Function key of an operator; defaults to `key`. */
  operatorKey?: string;
  inbox?: string;
  workspace?: string;
}

export interface Profiles {
  /** Name of the profile that is used by default. */
  current?: string;
  profiles: Record<string, Profile>;
}

type World = Pick<Io, 'env' | 'platform'>;

/** Returns the path of the file by the convention of the platform; undefined if the user has no folder for settings. */
export function profilesFile({ env, platform }: World): string | undefined {
  const home = env.HOME ? join(env.HOME, '.config') : undefined;
  // The XDG Base Directory Specification requires to ignore relative paths.
  const xdg = env.XDG_CONFIG_HOME?.startsWith('/') ? env.XDG_CONFIG_HOME : undefined;
  const folder = platform === 'win32' ? env.APPDATA : (xdg ?? home);
  return folder ? join(folder, 'sluice', 'profiles.json') : undefined;
}

/** Reads the file; a missing file means no profiles. Throws CliError if other users can read it, or if it is malformed. */
export async function readProfiles(world: World): Promise<Profiles> {
  const file = profilesFile(world);
  if (file === undefined) return { profiles: {} };
  try {
    // Windows has no such bits; other users cannot read the folder of a user's settings.
    if (world.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0)
      throw new CliError(`${file} contains keys, but other users can read it.`, {
        hint: `Restrict it with chmod 600 '${file}', and replace the keys if others may have read it.`,
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
    // The parser's message would show text near the error, which may be a key.
  }
  throw new CliError(`${file} is not a valid file of profiles.`, { hint: 'Delete it, and run sluice login again.' });
}

/** Replaces the file atomically, readable only by its user. Throws CliError if there is no folder for settings. */
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

/** Returns the name if it is valid. Throws UsageError otherwise. */
export function profileName(text: string): string {
  if (NAME.test(text)) return text;
  throw new UsageError(`expected a name of at most 40 letters, digits, dots, dashes and underscores, got "${text}"`);
}
