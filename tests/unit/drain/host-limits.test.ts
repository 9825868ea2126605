import { expect, test } from 'vitest';
import { z } from 'zod';
import hostJson from '../../../host.json' with { type: 'json' };
import { abandonSeconds, beginSeconds, checkTimeouts, readHostLimits } from '../../../shared/drain/host-limits.ts';
import { waveSeconds } from '../../../shared/gate/heartbeat.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { HOST } from '../../helpers/fakes/host-limits.ts';

const host = (
  maxConcurrentActivityFunctions: unknown,
  workItemQueueVisibilityTimeout: unknown,
  functionTimeout: unknown = '00:10:00',
) => ({
  functionTimeout,
  extensions: {
    durableTask: { maxConcurrentActivityFunctions, storageProvider: { workItemQueueVisibilityTimeout } },
  },
});

test('the limits of activities are those of host.json', () => {
  expect(readHostLimits(hostJson)).toEqual({
    concurrentActivities: 5,
    activityVisibilitySeconds: 60,
    functionSeconds: 600,
    durableBackend: 'azureStorage',
  });
});

test.each([
  ['00:00:30', 30],
  ['00:05:00', 300],
  ['01:02:03', 3_723],
  ['1.00:00:01', 86_401],
])('a visibility timeout of %s is %i seconds', (text, activityVisibilitySeconds) => {
  expect(readHostLimits(host(8, text))).toEqual({
    ...{ concurrentActivities: 8, activityVisibilitySeconds },
    functionSeconds: 600,
    durableBackend: 'azureStorage',
  });
});

test.each(['azureManaged', 'AzureManaged'])('the Durable Task Scheduler (%s) has no visibility timeout', (type) => {
  const json = host(8, '00:01:00');
  const extensions = { durableTask: { ...json.extensions.durableTask, storageProvider: { type } } };
  expect(readHostLimits({ ...json, extensions })).toMatchObject({
    durableBackend: 'dts',
    activityVisibilitySeconds: 60,
  });
});

test.each([
  ['00:05:00', 300],
  ['1.00:00:00', 86_400],
  ['-1', Number.POSITIVE_INFINITY],
])('a functionTimeout of %s is %d seconds', (text, functionSeconds) => {
  expect(readHostLimits(host(8, '00:01:00', text))).toMatchObject({ functionSeconds });
});

test.each([
  [host(0, '00:01:00'), 'maxConcurrentActivityFunctions'],
  [host('4', '00:01:00'), 'maxConcurrentActivityFunctions'],
  [host(4, '60'), 'workItemQueueVisibilityTimeout'],
  [host(4, undefined), 'workItemQueueVisibilityTimeout'],
  [host(4, '00:01:00', 600), 'functionTimeout'],
  [{ version: '2.0' }, 'extensions'],
])('a host.json without them is refused with the name of the field (%#)', (json, name) => {
  expect(() => readHostLimits(json)).toThrow(name);
});

// slice x (ceil(tasks / activities at the same time) + 2) + time until the activity of a crashed instance runs again
test.each([
  [1, 30 * 3 + 60],
  [2, 30 * 3 + 60],
  [100, 30 * 52 + 60],
])('a wave of %i tasks may be silent for %i s', (tasks, seconds) => {
  expect(waveSeconds(HOST, { tasks, sliceSeconds: 30 })).toBe(seconds);
});

const workloadOf = (name: string, timeoutSeconds: number) =>
  defineWorkload({ name, version: 1, item: z.unknown(), map: (item) => item, timeoutSeconds });

test('an item begins only while its time limit and the end of its slice fit into the rest of the invocation', () => {
  expect(beginSeconds(HOST, { timeoutSeconds: 400 })).toBe(600 - 400 - 30);
  expect(beginSeconds({ functionSeconds: Number.POSITIVE_INFINITY }, { timeoutSeconds: 540 })).toBe(
    Number.POSITIVE_INFINITY,
  );
});

test('a slice whose work does not end is abandoned before the host ends its process', () => {
  expect(abandonSeconds(HOST)).toBeLessThan(HOST.functionSeconds);
  // Later than the end of the item that has begun last.
  expect(abandonSeconds(HOST)).toBeGreaterThan(beginSeconds(HOST, { timeoutSeconds: 540 }) + 540);
});

test('only workloads whose items could never begin are refused at the start, all of them with their names', () => {
  const host = { functionSeconds: 300 };
  const workloads = [workloadOf('fits', 260), workloadOf('slow', 261), workloadOf('slower', 540)];

  expect(() => checkTimeouts(host, { workloads })).toThrow(
    'functionTimeout in host.json allows a timeoutSeconds of at most 260. It is longer for: slow (261 s), slower (540 s).',
  );
  expect(() => checkTimeouts(host, { workloads: workloads.slice(0, 1) })).not.toThrow();
  expect(() => checkTimeouts(HOST, { workloads })).not.toThrow();
});
