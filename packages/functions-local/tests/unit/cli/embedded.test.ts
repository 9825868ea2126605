import { describe, expect, it } from 'vitest';
import { connectionSettings, findEmbeddedSettings } from '../../../src/cli/embedded.ts';

const EMULATOR = 'Endpoint=sb://localhost;SharedAccessKeyName=k;SharedAccessKey=v;UseDevelopmentEmulator=true;';
const REAL_BUS = 'Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=k;SharedAccessKey=v';
const REAL_STORAGE = 'DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=k;EndpointSuffix=core.windows.net';

describe('findEmbeddedSettings', () => {
  it('finds the short forms and the strings of the official emulators', () => {
    const env = {
      A: 'UseDevelopmentStorage=true',
      B: ' usedevelopmentstorage=true;',
      C: 'UseDevelopmentEmulator=true',
      D: EMULATOR,
    };
    expect(findEmbeddedSettings(env)).toEqual({ storage: ['A', 'B'], serviceBus: ['C', 'D'] });
  });

  it('ignores real connection strings, other values and missing ones', () => {
    const env = {
      ...{ A: REAL_STORAGE, B: REAL_BUS, C: '', D: undefined, E: 'UseDevelopmentStorage=false' },
      ...{ F: 'NotUseDevelopmentStorage=true', G: 'x UseDevelopmentEmulator=true' },
    };
    expect(findEmbeddedSettings(env)).toEqual({ storage: [], serviceBus: [] });
  });
});

describe('connectionSettings', () => {
  const embedded = { storage: ['A', 'B'], serviceBus: ['C'] };

  it('replaces each setting with the connection string of its service', () => {
    expect(connectionSettings(embedded, { storage: 's', serviceBus: 'b' })).toEqual({ A: 's', B: 's', C: 'b' });
  });

  it('does not change the settings of a service that was not started', () => {
    expect(connectionSettings(embedded, { serviceBus: 'b' })).toEqual({ C: 'b' });
  });
});
