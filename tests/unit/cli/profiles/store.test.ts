import { expect, it } from 'vitest';
import { profilesFile } from '../../../../cli/profiles/store.ts';

it.each([
  [{ HOME: '/home/me' }, 'linux', '/home/me/.config/sluice/profiles.json'],
  [{ HOME: '/home/me', XDG_CONFIG_HOME: '/cfg' }, 'linux', '/cfg/sluice/profiles.json'],
  [{ HOME: '/home/me', XDG_CONFIG_HOME: 'relative' }, 'darwin', '/home/me/.config/sluice/profiles.json'],
  [{ APPDATA: '/roaming', HOME: '/home/me' }, 'win32', '/roaming/sluice/profiles.json'],
  [{}, 'linux', undefined],
] as const)('with %j on %s is %s', (env, platform, file) => {
  expect(profilesFile({ env, platform })).toBe(file);
});
