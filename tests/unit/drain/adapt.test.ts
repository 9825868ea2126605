import { describe, expect, test } from 'vitest';
import { THROTTLED } from '../../../shared/cost/meter.ts';
import { learn, summarize } from '../../../shared/drain/adapt.ts';
import { emptyTally, type SliceResult } from '../../../shared/drain/slice.ts';
import { newGate } from '../../../shared/wake/gate-row.ts';
import { summary } from './drain-fixtures.ts';

const gate = newGate('billing-normal-0');
const slice = (fields: Partial<SliceResult>): SliceResult => ({
  ...emptyTally(),
  ended: 'shareDone',
  seconds: 1,
  ...fields,
});

describe('a wave in sum', () => {
  test('adds what its slices did, and lasts as long as the longest', () => {
    const wave = summarize([
      slice({ received: 3, done: 3, items: 30, ran: 31, failures: 1, seconds: 4, operations: { [THROTTLED]: 2 } }),
      slice({ received: 1, done: 0, ghosts: 1, seconds: 6, ended: 'empty', handlerSeconds: 0.5 }),
    ]);

    expect(wave).toEqual({
      tasks: 2,
      received: 4,
      done: 3,
      items: 30,
      ran: 31,
      failures: 1,
      ghosts: 1,
      handlerSeconds: 0.5,
      seconds: 6,
      throttled: 2,
      tripped: false,
      faulted: false,
    });
  });

  test('is tripped or faulted if one of its slices is', () => {
    const wave = summarize([slice({}), slice({ ended: 'tripped' }), slice({ ended: 'fault' })]);

    expect(wave).toMatchObject({ tripped: true, faulted: true });
  });

  test('of no slices is empty', () => {
    expect(summarize([])).toMatchObject({ tasks: 0, received: 0, seconds: 0 });
  });
});

describe('what is learnt', () => {
  test('the first measurement is taken as it is, later ones by half', () => {
    const first = learn(gate, summary({ tasks: 4, done: 8, seconds: 10, items: 800 }));
    const second = learn({ ...gate, ...first }, summary({ tasks: 4, done: 4, seconds: 1 }));

    expect(first).toMatchObject({ secondsPerReference: 5, itemsPerSecond: 80, idleCount: 0 });
    expect(second.secondsPerReference).toBe(3);
  });

  test('a wave that did nothing teaches nothing but idleness', () => {
    expect(learn({ ...gate, idleCount: 2 }, summary({ done: 0, received: 0 }))).toEqual({ throttled: 0, idleCount: 3 });
  });

  test.each([
    ['throttling halves the tasks', 0, summary({ tasks: 9, throttled: 1 }), 4],
    ['throttling leaves one task', 0, summary({ tasks: 1, throttled: 3 }), 1],
    ['more items a second allow one more', 4, summary({ items: 500, seconds: 1 }), 5],
    ['fewer items a second leave it', 4, summary({ items: 5, seconds: 1 }), 4],
    ['without a limit there is none to raise', 0, summary({ items: 500, seconds: 1 }), 0],
  ])('%s', (_what, taskLimit, wave, expected) => {
    expect(learn({ ...gate, taskLimit, itemsPerSecond: 100 }, wave).taskLimit).toBe(expected);
  });
});
