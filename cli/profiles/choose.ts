import { UsageError } from '../process/errors.ts';
import type { Io } from '../process/io.ts';
import type { GlobalOptions } from '../settings.ts';
import { didYouMean } from '../text/nearest.ts';
import { type Profile, type Profiles, readProfiles } from './store.ts';

/**
 * Returns the profile that a command works with: that of `--profile`, else of SLUICE_PROFILE, else the current one.
 * Undefined where an option or SLUICE_URL names the app: the keys of a profile go to its own address and to no other.
 * Throws UsageError for a profile that does not exist.
 */
export async function chooseProfile(
  world: Pick<Io, 'env' | 'platform'>,
  options: Pick<GlobalOptions, 'url' | 'profile'>,
): Promise<Profile | undefined> {
  const { url, profile } = options;
  if (url !== undefined && profile !== undefined)
    throw new UsageError('--profile: does not go with --url, as it names an app of its own');
  if (url !== undefined || (profile === undefined && world.env.SLUICE_URL)) return undefined;
  const stored = await readProfiles(world);
  const name = profile ?? (world.env.SLUICE_PROFILE || stored.current);
  return name === undefined ? undefined : profileOf(stored, name);
}

/** Throws UsageError, with the names that there are. */
export function profileOf({ profiles }: Profiles, name: string): Profile {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(profiles);
  const others = known.length === 0 ? 'there is none; sluice login makes one' : `there are: ${known.join(', ')}`;
  throw new UsageError(`There is no profile "${name}"; ${others}.${didYouMean(name, known)}`);
}
