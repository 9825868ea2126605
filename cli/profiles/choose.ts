import { UsageError } from '../process/errors.ts';
import type { Io } from '../process/io.ts';
import type { GlobalOptions } from '../settings.ts';
import { didYouMean } from '../text/nearest.ts';
import { type Profile, type Profiles, readProfiles } from './store.ts';

/**
 * Returns the profile of `--profile`, otherwise of SLUICE_PROFILE, otherwise the current one. Returns undefined if an option or
 * SLUICE_URL sets the address, because the keys of a profile are sent only to its own address. Throws UsageError for a profile
 * that does not exist.
 */
export async function chooseProfile(
  world: Pick<Io, 'env' | 'platform'>,
  options: Pick<GlobalOptions, 'url' | 'profile'>,
): Promise<Profile | undefined> {
  const { url, profile } = options;
  if (url !== undefined && profile !== undefined)
    throw new UsageError('--profile: cannot be combined with --url, because a profile contains the address of its app');
  if (url !== undefined || (profile === undefined && world.env.SLUICE_URL)) return undefined;
  const stored = await readProfiles(world);
  const name = profile ?? (world.env.SLUICE_PROFILE || stored.current);
  return name === undefined ? undefined : profileOf(stored, name);
}

/** Returns the profile of this name. Throws UsageError with the existing names if there is none. */
export function profileOf({ profiles }: Profiles, name: string): Profile {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(profiles);
  const others =
    known.length === 0 ? 'there are no profiles; sluice login creates one' : `there are: ${known.join(', ')}`;
  throw new UsageError(`There is no profile "${name}"; ${others}.${didYouMean(name, known)}`);
}
