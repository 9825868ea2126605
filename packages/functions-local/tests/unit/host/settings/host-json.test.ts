import { describe, expect, it } from 'vitest';
import { readHostConfig } from '../../../../src/host/settings/host-json.ts';

describe('readHostConfig', () => {
  it('has the defaults of the real host', () => {
    expect(readHostConfig('{"version":"2.0"}', {})).toEqual({
      functionTimeoutMs: 1_800_000,
      durableOverrides: [],
      functions: [],
      routePrefix: 'api',
      logLevels: {},
      durableTask: {},
      hasExtensionBundle: false,
      unreadKeys: [],
      serviceBus: {
        autoCompleteMessages: true,
        maxAutoLockRenewalMs: 300_000,
        minMessageBatchSize: 1,
        maxMessageBatchSize: 1000,
        maxBatchWaitMs: 30_000,
      },
    });
  });

  it('accepts a byte order mark, keys in any case, and no timeout', () => {
    const config = readHostConfig(
      '\uFEFF{"version":"2.0","functionTimeout":"-1","Extensions":{"HTTP":{"routePrefix":"/x/"}}}',
      {},
    );
    expect(config.functionTimeoutMs).toBeUndefined();
    expect(config.routePrefix).toBe('x');
  });

  it('gives precedence to environment variables', () => {
    const config = readHostConfig('{"version":"2.0","extensions":{"serviceBus":{"maxMessageBatchSize":5}}}', {
      AzureFunctionsJobHost__extensions__ServiceBus__maxMessageBatchSize: '7',
      AzureFunctionsJobHost__logging__logLevel__default: 'Warning',
      'AzureFunctionsJobHost:extensions:durableTask:hubName': 'hub',
    });
    expect(config.serviceBus.maxMessageBatchSize).toBe(7);
    expect(config.logLevels).toEqual({ default: 'warning' });
    expect(config.durableTask).toEqual({ hubName: 'hub' });
    expect(config.durableOverrides).toEqual(['AzureFunctionsJobHost:extensions:durableTask:hubName']);
  });

  it('reports each key that it does not read, and a whole section with one path', () => {
    const text = JSON.stringify({
      $schema: 'https://example.org/host.json',
      version: '2.0',
      extensionBundle: { id: 'Microsoft.Azure.Functions.ExtensionBundle', version: '[4.*, 5.0.0)' },
      functionTimout: '00:10:00',
      logging: { logLevel: { default: 'Warning' }, applicationInsights: { samplingSettings: { isEnabled: true } } },
      extensions: {
        HTTP: { routePrefix: '', hsts: { isEnabled: true } },
        serviceBus: { prefetchCount: 5, maxConcurrentCalls: 1 },
        queues: { batchSize: 1 },
        durableTask: {
          HubName: 'hub',
          tracing: {},
          storageProvider: { type: 'azureStorage', connectionName: 'Other', partitionCount: 1, useLegacy: null },
        },
      },
    });
    expect(readHostConfig(text, { AzureFunctionsJobHost__concurrency__enabled: 'true' }).unreadKeys).toEqual([
      'functionTimout',
      'logging.applicationInsights',
      'extensions.HTTP.hsts',
      'extensions.serviceBus.prefetchCount',
      'extensions.queues',
      'concurrency',
      'extensions.durableTask.tracing',
      'extensions.durableTask.storageProvider.partitionCount',
    ]);
  });

  it('reports an unsupported storage provider', () => {
    const text = '{"version":"2.0","extensions":{"durableTask":{"storageProvider":{"type":"azureManaged"}}}}';
    expect(readHostConfig(text, {}).unreadKeys).toEqual(['extensions.durableTask.storageProvider.type']);
  });

  it.each([
    [{ version: '[4.*, 5.0.0)' }, /extensionBundle\.id: expected/],
    [{ id: 'Microsoft.Azure.Functions.ExtensionBundle' }, /extensionBundle\.version: expected/],
  ])('refuses the extension bundle %j', (extensionBundle, message) => {
    expect(() => readHostConfig(JSON.stringify({ version: '2.0', extensionBundle }), {})).toThrow(message);
  });

  it('reports all problems in one error', () => {
    const text = JSON.stringify({
      version: 2,
      functionTimeout: 'long',
      logging: { logLevel: { default: 'Loud' } },
      extensions: { http: { routePrefix: 5 }, serviceBus: { maxMessageBatchSize: -1 } },
    });
    expect(() => readHostConfig(text, {})).toThrow(
      /^host\.json: version: expected the string "2\.0", got 2; functionTimeout: .*routePrefix: .*logLevel\.default: .*maxMessageBatchSize: /,
    );
  });

  it.each([
    [undefined, /file not found/],
    ['{', /not valid JSON/],
    ['[]', /expected a JSON object/],
  ])('refuses %j', (text, expected) => expect(() => readHostConfig(text, {})).toThrow(expected));
});
