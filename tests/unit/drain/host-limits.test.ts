import { expect, test } from 'vitest';
import hostJson from '../../../host.json' with { type: 'json' };
import { readHostLimits, waveSeconds } from '../../../shared/drain/host-limits.ts';

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

// slice x (ceil(tasks / activities at the same time) + 2) + time until the activity of a crashed instance runs again
test.each([
  [1, 30 * 3 + 60],
  [2, 30 * 3 + 60],
  [100, 30 * 52 + 60],
])('a wave of %i tasks may be silent for %i s', (tasks, seconds) => {
  const limits = { concurrentActivities: 2, activityVisibilitySeconds: 60 };

  expect(waveSeconds(limits, { tasks, sliceSeconds: 30 })).toBe(seconds);
});
