import { describe, expect, it } from 'vitest';
import { mergeIntoEnvironment, parseLocalSettings } from '../../../../src/host/settings/local-settings.ts';

describe('parseLocalSettings', () => {
  it('reads values, connection strings and the port', () => {
    const text = JSON.stringify({
      IsEncrypted: false,
      Values: { A: 'x', B: null, C: 5, '': 'no name' },
      ConnectionStrings: { Db: 'text', Other: { ConnectionString: 'inner', ProviderName: 'p' } },
      Host: { LocalHttpPort: 7072 },
    });
    expect(parseLocalSettings(text)).toEqual({
      values: { A: 'x', C: '5', 'ConnectionStrings:Db': 'text', 'ConnectionStrings:Other': 'inner' },
      httpPort: 7072,
    });
  });

  it('counts as encrypted unless it says otherwise', () => {
    expect(() => parseLocalSettings('{"Values":{}}')).toThrow(/encrypted settings are not supported/);
  });
});

describe('mergeIntoEnvironment', () => {
  it('lets a set variable win and an empty one lose', () => {
    const merged = mergeIntoEnvironment({ A: 'file', B: 'file', C: 'file' }, { A: 'set', B: '' });
    expect(merged).toEqual({ added: { B: 'file', C: 'file' }, skipped: ['A'] });
  });

  it('names no variable that has the same value already', () => {
    expect(mergeIntoEnvironment({ A: 'same' }, { A: 'same' })).toEqual({ added: {}, skipped: [] });
  });
});
