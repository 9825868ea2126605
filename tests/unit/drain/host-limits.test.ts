import { expect, test } from 'vitest';
import hostJson from '../../../host.json' with { type: 'json' };
import { readHostLimits } from '../../../shared/drain/host-limits.ts';

const host = (maxConcurrentActivityFunctions: unknown, workItemQueueVisibilityTimeout: unknown) => ({
  extensions: {
    durableTask: { maxConcurrentActivityFunctions, storageProvider: { workItemQueueVisibilityTimeout } },
  },
});

test('the limits of activities are those of host.json', () => {
  expect(readHostLimits(hostJson)).toEqual({ concurrentActivities: 5, activityVisibilitySeconds: 60 });
});

test.each([
  ['00:00:30', 30],
  ['00:05:00', 300],
  ['01:02:03', 3_723],
  ['1.00:00:01', 86_401],
])('a visibility timeout of %s is %i seconds', (text, activityVisibilitySeconds) => {
  expect(readHostLimits(host(8, text))).toEqual({ concurrentActivities: 8, activityVisibilitySeconds });
});

test.each([
  [host(0, '00:01:00'), 'maxConcurrentActivityFunctions'],
  [host('4', '00:01:00'), 'maxConcurrentActivityFunctions'],
  [host(4, '60'), 'workItemQueueVisibilityTimeout'],
  [host(4, undefined), 'workItemQueueVisibilityTimeout'],
  [{ version: '2.0' }, 'extensions'],
])('a host.json without them is refused with the name of the field (%#)', (json, name) => {
  expect(() => readHostLimits(json)).toThrow(name);
});
