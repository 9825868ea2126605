import { expect, test } from 'vitest';
import { readDurableConfig } from '../../../src/durable/config.ts';

test('without settings it has the defaults of Azure', () => {
  expect(readDurableConfig({}, 2)).toEqual({
    hubName: 'TestHubName',
    connectionName: 'AzureWebJobsStorage',
    maxConcurrentActivities: 20,
    maxConcurrentOrchestrators: 20,
    defaultVersion: '',
    versionMatchStrategy: 'CurrentOrOlder',
    versionFailureStrategy: 'Reject',
    overridableExistingInstanceStates: 'NonRunningStates',
    maxPollingIntervalMs: 30_000,
    activityVisibilityTimeoutMs: 300_000,
    orchestratorVisibilityTimeoutMs: 300_000,
  });
});

test('settings are read, also numbers as text and names with different case', () => {
  const config = readDurableConfig(
    {
      maxConcurrentActivityFunctions: '2',
      versionMatchStrategy: 'strict',
      storageProvider: { maxQueuePollingInterval: '00:00:02' },
      tracing: { traceInputsAndOutputs: false },
    },
    1,
  );
  expect(config).toMatchObject({
    maxConcurrentActivities: 2,
    versionMatchStrategy: 'Strict',
    maxPollingIntervalMs: 2_000,
  });
});

test.each([
  [{ hubName: 'my-hub' }, /hubName: expected 3 to 45 letters and digits that start with a letter, got "my-hub"/],
  [{ hubName: '' }, /hubName: expected 3 to 45/],
  [{ storageProvider: { partitionCount: 17 } }, /storageProvider.partitionCount: expected a whole number from 1 to 16/],
  [{ storageProvider: { maxQueuePollingInterval: '00:00:00' } }, /maxQueuePollingInterval: expected a time span above/],
])('%j is refused', (config, message) => {
  expect(() => readDurableConfig(config, 1)).toThrow(message);
});

test.each(['00:00:00', '00:00:00.9', '7.00:00:01', '25.00:00:00', '-00:00:01'])(
  'a visibility timeout of %s is refused',
  (value) => {
    const storageProvider = { workItemQueueVisibilityTimeout: value, controlQueueVisibilityTimeout: value };
    expect(() => readDurableConfig({ storageProvider }, 1)).toThrow(
      /workItemQueueVisibilityTimeout: expected a time span from .*; .*controlQueueVisibilityTimeout: expected a time span from/,
    );
  },
);

test.each(['00:00:01', '7.00:00:00'])('a visibility timeout of %s is accepted', (value) => {
  const storageProvider = { workItemQueueVisibilityTimeout: value, controlQueueVisibilityTimeout: value };
  expect(() => readDurableConfig({ storageProvider }, 1)).not.toThrow();
});

test('a time span is read as in the rest of host.json: an hour field of 24 or more is days', () => {
  const { maxPollingIntervalMs } = readDurableConfig({ storageProvider: { maxQueuePollingInterval: '24:00:00' } }, 1);
  expect(maxPollingIntervalMs).toBe(24 * 86_400_000);
});

test('all problems are reported in one error', () => {
  const broken = {
    maxConcurrentActivityFunctions: 0,
    versionFailureStrategy: 'Ignore',
    storageProvider: { maxQueuePollingInterval: 'often' },
  };
  expect(() => readDurableConfig(broken, 1)).toThrow(
    /maxConcurrentActivityFunctions: expected a whole number of at least 1, got 0; versionFailureStrategy: .*"Ignore"; storageProvider\.maxQueuePollingInterval: .*"often"/,
  );
});
