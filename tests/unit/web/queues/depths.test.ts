import { describe, expect, it } from 'vitest';
import { areKnownEmpty, depthsAge } from '../../../../web/queues/depths.ts';

const nowMs = Date.parse('2026-11-23T12:00:00.000Z');
const ago = (seconds: number): string => new Date(nowMs - seconds * 1_000).toISOString();
const empty = { depth: 0, depthAt: ago(120) };

describe('depths', () => {
  it.each([
    ['all are 0 and recent', [empty, { depth: 0, depthAt: ago(1) }], true],
    ['one is not 0', [empty, { depth: 1, depthAt: ago(1) }], false],
    ['one was never measured', [empty, { depth: 0, depthAt: null }], false],
    ['one is too old', [empty, { depth: 0, depthAt: ago(121) }], false],
  ])('are known to be empty, or not: %s', (_, queues, known) => {
    expect(areKnownEmpty(queues, nowMs)).toBe(known);
  });

  it('are as old as the oldest measurement, or not all known', () => {
    expect(depthsAge([empty, { depth: 5, depthAt: ago(1) }], nowMs)).toBe('measured 2 min ago');
    expect(depthsAge([empty, { depth: 0, depthAt: null }], nowMs)).toBe('1 queue of 2 not measured yet');
  });
});
