import { describe, expect, it } from 'vitest';
import { everyMs } from '../../../web/live/pace.ts';

const MINUTE = 60_000;
/** The interval of a page without changes or use for that many minutes. */
const still = (minutes: number) => everyMs({ isMoving: false, movedAt: 0, touchedAt: 0 }, minutes * MINUTE);

describe('the polling interval', () => {
  it('is 3 s while data changes, and one minute when the page was not used for half an hour', () => {
    expect(everyMs({ isMoving: true, movedAt: 0, touchedAt: 0 }, 29 * MINUTE)).toBe(3_000);
    expect(everyMs({ isMoving: true, movedAt: 31 * MINUTE, touchedAt: 0 }, 31 * MINUTE)).toBe(MINUTE);
  });

  it('grows while nothing changes, until polling stops', () => {
    expect([0, 0.9, 1, 9.9, 10, 29.9, 30, 600].map(still)).toEqual([
      ...[10_000, 10_000, 30_000, 30_000, MINUTE, MINUTE, undefined, undefined],
    ]);
  });

  it('is short again when the page is used', () => {
    const [touchedAt, now] = [60 * MINUTE, 60 * MINUTE + 1];
    expect(everyMs({ isMoving: false, movedAt: 0, touchedAt }, now)).toBe(10_000);
  });
});
