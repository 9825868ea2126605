import { describe, expect, it } from 'vitest';
import { callerFolder } from '../../../cli/process/environment.ts';
import { readCliSettings } from '../../../cli/settings.ts';

describe('settings of the command', () => {
  it('have defaults for the local stack', () => {
    expect(readCliSettings({ SLUICE_KEY: '' }, {})).toEqual({
      ...{ url: 'http://127.0.0.1:7071', isUrlGiven: false, key: undefined, operatorKey: undefined },
      ...{ inbox: undefined, workspace: undefined, output: undefined, json: false, quiet: false },
    });
  });

  it.each([
    ['https://app.test', 'https://app.test'],
    ['https://app.test/', 'https://app.test'],
    ['https://app.test/api/', 'https://app.test'],
    ['https://gateway.test/sluice/api', 'https://gateway.test/sluice'],
  ])('accept %s as an address', (text, url) => {
    expect(readCliSettings({ SLUICE_URL: 'http://other.test' }, { url: text }).url).toBe(url);
  });

  it.each([
    [{ json: true }, 'json', true],
    [{ output: 'json' }, 'json', true],
    [{ json: true, output: 'json' }, 'json', true],
    [{ output: 'csv' }, 'csv', false],
  ] as const)('accept %j as the output format', (options, output, json) => {
    expect(readCliSettings({}, options)).toMatchObject({ output, json });
  });

  it('refuse two different output formats', () => {
    expect(() => readCliSettings({}, { json: true, output: 'csv' })).toThrow('cannot be combined with --output csv');
  });

  it('resolve files from the folder of the caller, also with npm run', () => {
    const env = { INIT_CWD: '/caller', npm_lifecycle_event: 'sluice' };
    expect(callerFolder(env, '/package')).toBe('/caller');
    expect(callerFolder({ ...env, npm_lifecycle_event: 'new-workload' }, '/package')).toBe('/caller');
    expect(callerFolder({ ...env, npm_lifecycle_event: 'nightly' }, '/package')).toBe('/package');
    expect(callerFolder({}, '/package')).toBe('/package');
  });
});
