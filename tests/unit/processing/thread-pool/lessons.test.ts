import { describe, expect, it } from 'vitest';
import { OUTSIDE, WHOLE_CHUNK } from '../../../../shared/processing/thread/board.ts';
import { deathText, learn, NO_LESSONS } from '../../../../shared/processing/thread-pool/lessons.ts';
import { isStuck } from '../../../../shared/processing/thread-pool/watch.ts';

const note = (position: number, sequence = 9) => ({ sequence, position, timeoutMs: 500, lines: 0, dropped: 0 });
const ended = (position: number, stuck = false) => ({ note: note(position), stuck, error: new Error('gone') });

describe('learn', () => {
  it('charges the item that a dead thread was at', () => {
    expect(learn(NO_LESSONS, ended(4), 77).presets).toEqual([
      { line: 4, atMs: 77, kind: 'killed', error: { name: 'Error', message: 'gone' } },
    ]);
  });

  it('charges the item that a stuck thread was at with a timeout', () => {
    expect(learn(NO_LESSONS, ended(4, true), 77).presets).toEqual([{ line: 4, atMs: 77, kind: 'timedOut' }]);
  });

  it('charges nobody for the end of a whole chunk, but takes the items one by one', () => {
    expect(learn(NO_LESSONS, ended(WHOLE_CHUNK), 0)).toEqual({ ...NO_LESSONS, single: true });
  });

  it('charges nobody for an end outside of items, or at one that did not run again', () => {
    const once = learn(NO_LESSONS, ended(4), 0);
    expect(learn(once, ended(4), 0)).toEqual({ ...once, strays: 1 });
    expect(learn(once, ended(OUTSIDE), 0)).toEqual({ ...once, strays: 1 });
  });

  it('tells a thread that never began', () => {
    const never = { ...ended(OUTSIDE), note: note(OUTSIDE, 0) };
    expect(learn(NO_LESSONS, never, 0)).toEqual({ ...NO_LESSONS, unstarted: 1 });
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
    [Object.create(null), 'Error', 'something that cannot be shown was thrown'],
  ])('says how a thread died (%#)', (error, name, message) => {
    expect(deathText(error)).toEqual({ name, message });
  });
});

describe('isStuck', () => {
  it.each([
    [note(3), 2_499, false],
    [note(3), 2_501, true],
    [note(WHOLE_CHUNK), 2_501, true],
    [note(OUTSIDE), 2_501, false],
    [note(OUTSIDE), 60_001, true],
    [note(OUTSIDE, 0), 29_999, false],
    [note(OUTSIDE, 0), 30_001, true],
  ])('%j the same for %i ms: %s', (board, sameForMs, expected) => {
    expect(isStuck(board, sameForMs)).toBe(expected);
  });
});
