import { describe, expect, test } from 'vitest';
import { summarize } from '../../../../shared/gate/planning/wave-summary.ts';
import { load, slice } from './adapt-fixtures.ts';

const LOAD = { instance: 'a', ms: 0, cpu: 0, eventLoop: 0, responses: 0, responseMs: 0, throttled: 0 };

describe('the summary of a wave', () => {
  test('adds the counts of its slices, and has the duration of the longest one', () => {
    const wave = summarize(
      [
        slice({ received: 3, done: 3, items: 30, ran: 31, failures: 1, seconds: 4, load: { ...LOAD, throttled: 2 } }),
        slice({ received: 1, done: 0, orphanedReferences: 1, seconds: 6, ended: 'empty', handlerSeconds: 0.5 }),
      ],
      7,
    );

    expect(wave).toMatchObject({
      tasks: 2,
      wakes: 7,
      received: 4,
      done: 3,
      items: 30,
      ran: 31,
      failures: 1,
      orphanedReferences: 1,
      handlerSeconds: 0.5,
      seconds: 6,
      taskSeconds: 10,
      throttled: 2,
      tripped: false,
      faulted: false,
      oldestAt: '',
    });
  });

  test('is tripped or faulted if one of its slices is', () => {
    const wave = summarize([slice({}), slice({ ended: 'tripped' }), slice({ ended: 'fault' })], 0);

    expect(wave).toMatchObject({ tripped: true, faulted: true });
  });

  test('contains the first error of threads that did not start', () => {
    const slices = [slice({}), slice({ startError: 'first' }), slice({ startError: 'second' })];

    expect(summarize(slices, 0).startError).toBe('first');
  });

  test('of no slices is empty', () => {
    expect(summarize([], 0)).toMatchObject({ tasks: 0, received: 0, seconds: 0, load: undefined });
  });

  test('has the load of its busiest instance, and the mean response time of all', () => {
    const own = { ...LOAD, ms: 1_000, cpu: 0.5, eventLoop: 0.1, responses: 10, responseMs: 100 };
    const slices = [
      slice({ load: own }),
      // Its process was busy for a few milliseconds only, which is no evidence.
      slice({ load: { ...own, ms: 10, cpu: 1, eventLoop: 1 } }),
      slice({ load: { ...own, instance: 'b', cpu: 0.3, eventLoop: 0.7, responses: 80, responseMs: 4_800 } }),
      slice({ ended: 'noShare' }),
    ];

    const { load } = summarize(slices, 0);

    expect(load).toMatchObject({ instances: 2, eventLoop: 0.7, responses: 100, responseMs: 50 });
    expect(load?.cpu).toBe(0.505);
  });

  test('has no response time if its slices made no request, and no load if an older version ran it', () => {
    expect(summarize([slice({ load: LOAD })], 0).load).toEqual(
      load({ cpu: 0, eventLoop: 0, responses: 0, responseMs: 0 }),
    );
    expect(summarize([slice({})], 0).load).toBeUndefined();
  });
});
