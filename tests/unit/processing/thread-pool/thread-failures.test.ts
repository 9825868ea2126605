import { describe, expect, it } from 'vitest';
import { OUTSIDE, WHOLE_CHUNK } from '../../../../shared/processing/thread/thread-status.ts';
import {
  deathText,
  NO_FAILURES,
  recordThreadFailure,
} from '../../../../shared/processing/thread-pool/thread-failures.ts';
import { isStuck } from '../../../../shared/processing/thread-pool/watch.ts';

const status = (position: number, sequence = 9) => ({ sequence, position, timeoutMs: 500, lines: 0, dropped: 0 });
const ended = (position: number, stuck = false) => ({ status: status(position), stuck, error: new Error('gone') });

describe('learn', () => {
  it('charges the item that a dead thread was at', () => {
    expect(recordThreadFailure(NO_FAILURES, ended(4), 77).knownFailures).toMatchObject([
      { line: 4, atMs: 77, kind: 'killed', error: { name: 'Error', message: 'gone' } },
    ]);
  });

  it('charges the item that a stuck thread was at with a timeout', () => {
    expect(recordThreadFailure(NO_FAILURES, ended(4, true), 77).knownFailures).toEqual([
      { line: 4, atMs: 77, kind: 'timedOut' },
    ]);
  });

  it('charges nobody for the end of a whole chunk, but takes the items one by one', () => {
    expect(recordThreadFailure(NO_FAILURES, ended(WHOLE_CHUNK), 0)).toEqual({ ...NO_FAILURES, single: true });
  });

  it('charges nobody for an end outside of items, or at one that did not run again', () => {
    const once = recordThreadFailure(NO_FAILURES, ended(4), 0);
    expect(recordThreadFailure(once, ended(4), 0)).toEqual({ ...once, unattributed: 1 });
    expect(recordThreadFailure(once, ended(OUTSIDE), 0)).toEqual({ ...once, unattributed: 1 });
  });

  it('tells a thread that never began', () => {
    const never = { ...ended(OUTSIDE), status: status(OUTSIDE, 0) };
    expect(recordThreadFailure(NO_FAILURES, never, 0)).toEqual({ ...NO_FAILURES, unstarted: 1 });
  });
});

describe('deathText', () => {
  it.each([
    [new Error('worker exited with code: 3'), 'ThreadExitError', 'The handler ended its thread with exit code 3.'],
    [
      Object.assign(new Error('limit'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }),
      'OutOfMemoryError',
      'The handler used up the memory of its thread.',
    ],
    [new RangeError('too far'), 'RangeError', 'too far'],
    [Object.create(null), 'Error', '[Object: null prototype] {}'],
  ])('says how a thread died (%#)', (error, name, message) => {
    expect(deathText(error)).toMatchObject({ name, message });
  });
});

describe('isStuck', () => {
  it.each([
    [status(3), 2_499, false],
    [status(3), 2_501, true],
    [status(WHOLE_CHUNK), 2_501, true],
    [status(OUTSIDE), 2_501, false],
    [status(OUTSIDE), 60_001, true],
    [status(OUTSIDE, 0), 29_999, false],
    [status(OUTSIDE, 0), 30_001, true],
  ])('%j the same for %i ms: %s', (statusBuffer, sameForMs, expected) => {
    expect(isStuck(statusBuffer, sameForMs)).toBe(expected);
  });
});
