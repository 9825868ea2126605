import { describe, expect, it } from 'vitest';
import { mergeIntoEnvironment, parseLocalSettings } from '../../../../src/host/settings/local-settings.ts';

describe('parseLocalSettings', () => {
  it('reads values, connection strings and the port', () => {
    const text = JSON.stringify({
      IsEncrypted: false,
      Values: { A: 'x', B: null, C: 5, '': 'no name' },
      ConnectionStrings: { Db: 'text', Other: { ConnectionString: 'inner', ProviderName: 'p' } },
      Host: { LocalHttpPort: 7072, CORS: 'http://a, http://b', CORSCredentials: true },
    });
    expect(parseLocalSettings(text)).toEqual({
      values: { A: 'x', C: '5', 'ConnectionStrings:Db': 'text', 'ConnectionStrings:Other': 'inner' },
      httpPort: 7072,
      cors: { origins: ['http://a', 'http://b'], credentials: true },
    });
  });

  it('counts as encrypted unless it contains false', () => {
    expect(() => parseLocalSettings('{"Values":{}}')).toThrow(/encrypted settings are not supported/);
  });
});

describe('mergeIntoEnvironment', () => {
  it('keeps existing variables and replaces empty ones', () => {
    const merged = mergeIntoEnvironment({ A: 'file', B: 'file', C: 'file' }, { A: 'set', B: '' });
    expect(merged).toEqual({ added: { B: 'file', C: 'file' }, skipped: ['A'] });
  });

  it('does not report variables with the same value', () => {
    expect(mergeIntoEnvironment({ A: 'same' }, { A: 'same' })).toEqual({ added: {}, skipped: [] });
  });
});
