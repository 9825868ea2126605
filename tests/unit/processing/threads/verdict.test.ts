import { describe, expect, it } from 'vitest';
import {
  ALONE,
  ENDED,
  IN_FLIGHT,
  NOT_BEGUN,
  type ThreadStatus,
} from '../../../../shared/processing/thread/thread-status.ts';
import { deathText, verdictOf } from '../../../../shared/processing/threads/process-chunk.ts';
import { isStuck } from '../../../../shared/processing/threads/watch.ts';

const status: ThreadStatus = {
  ...{ sequence: 9, isRunning: true, timeoutMs: 500, copies: 0 },
  stop: undefined,
  isUsed: false,
};
const death = (items: number[], overrides: object = {}) => ({
  ...{ status, items: Uint8Array.from(items), copies: [], stuck: false, error: new Error('gone') },
  ...overrides,
});
const OUT_OF_MEMORY = Object.assign(new Error('limit'), { code: 'ERR_WORKER_OUT_OF_MEMORY' });

describe('verdictOf', () => {
  it('returns the item that ran alone', () => {
    expect(verdictOf(death([NOT_BEGUN, ALONE, NOT_BEGUN]), 77)).toMatchObject({
      ...{ slot: 1, atMs: 77, kind: 'killed' },
      error: { name: 'Error', message: 'gone' },
    });
  });

  it('charges it with a timeout when its thread was stuck', () => {
    expect(verdictOf(death([ALONE], { stuck: true }), 77)).toEqual({ slot: 0, atMs: 77, kind: 'timedOut' });
  });

  it.each([
    ['among several in flight', death([IN_FLIGHT, ENDED, IN_FLIGHT])],
    ['for one that was in flight alone by chance: another may have left a timer', death([ENDED, IN_FLIGHT])],
    ['when none was in flight', death([ENDED, NOT_BEGUN])],
    ['for a memory that others may have filled', death([ENDED, IN_FLIGHT], { error: OUT_OF_MEMORY })],
    ['once the chunk had to stop', death([ALONE], { status: { ...status, stop: 'cancelled' } })],
  ])('returns no item %s', (_, end) => {
    expect(verdictOf(end, 77)).toBeUndefined();
  });

  it('returns an item that filled the memory alone', () => {
    expect(verdictOf(death([NOT_BEGUN, ALONE], { error: OUT_OF_MEMORY }), 0)).toMatchObject({ slot: 1 });
  });
});

describe('deathText', () => {
  it.each([
    [new Error('worker exited with code: 3'), 'ThreadExitError', 'The handler ended its thread with exit code 3.'],
    [OUT_OF_MEMORY, 'OutOfMemoryError', 'The handler used up the memory of its thread.'],
    [new RangeError('too far'), 'RangeError', 'too far'],
    [Object.create(null), 'Error', '[Object: null prototype] {}'],
  ])('describes how a thread died (%#)', (error, name, message) => {
    expect(deathText(error)).toMatchObject({ name, message });
  });
});

describe('isStuck', () => {
  const outside = { isRunning: false };
  const stopped = { stop: 'cancelled', timeoutMs: 60_000 } as const;
  it.each([
    [{}, 2_499, false],
    [{}, 2_501, true],
    [outside, 2_501, false],
    [outside, 60_001, true],
    [{ ...outside, sequence: 0 }, 19_999, false],
    [{ ...outside, sequence: 0 }, 20_001, true],
    [stopped, 4_999, false],
    [stopped, 5_001, true],
    [{ ...stopped, stop: 'returned' } as const, 3_001, true],
  ])('%j the same for %i ms: %s', (overrides, sameForMs, expected) => {
    expect(isStuck({ ...status, ...overrides }, sameForMs)).toBe(expected);
  });
});
