import { afterEach, describe, expect, it } from 'vitest';
import { parseNcrontab } from '../../../../src/host/timer/ncrontab.ts';

const { TZ } = process.env;
afterEach(() => {
  if (TZ === undefined) delete process.env.TZ;
  else process.env.TZ = TZ;
});

function next(expression: string, after: string, zone = 'UTC'): string {
  process.env.TZ = zone;
  return new Date(parseNcrontab(expression)(Date.parse(after))).toISOString();
}

describe('parseNcrontab', () => {
  it.each([
    ['* * * * * *', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.000Z'],
    ['* * * * * *', '2026-01-01T00:00:00.999Z', '2026-01-01T00:00:01.000Z'],
    ['*/15 * * * * *', '2026-01-01T00:00:50Z', '2026-01-01T00:01:00.000Z'],
    ['5/20 * * * * *', '2026-01-01T00:00:06Z', '2026-01-01T00:00:25.000Z'],
    ['0 */5 * * * *', '2026-01-01T00:05:00Z', '2026-01-01T00:10:00.000Z'],
    ['30 9 * * *', '2026-01-01T09:30:00Z', '2026-01-02T09:30:00.000Z'],
    ['0 0 3 * * *', '2026-01-01T02:59:59Z', '2026-01-01T03:00:00.000Z'],
    ['0 0 0 1 1 *', '2026-01-01T00:00:00Z', '2027-01-01T00:00:00.000Z'],
    ['0 0 12 * * Mon-Fri', '2026-11-20T13:00:00Z', '2026-11-23T12:00:00.000Z'],
    ['0 0 12 * * sunday,3', '2026-11-21T00:00:00Z', '2026-11-22T12:00:00.000Z'],
    ['0 0 0 29 feb *', '2026-01-01T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['0 0 0 13 * fri', '2026-11-21T00:00:00Z', '2027-08-13T00:00:00.000Z'],
    ['0 0 0 1 1 0', '2023-01-01T00:00:00Z', '2034-01-01T00:00:00.000Z'],
    // 2100 is not a leap year.
    ['0 0 0 29 2 0', '2088-02-29T00:00:00Z', '2128-02-29T00:00:00.000Z'],
    ['0 10,40 8-10/2 * * *', '2026-01-01T08:40:00Z', '2026-01-01T10:10:00.000Z'],
  ])('%s after %s is %s', (expression, after, expected) => expect(next(expression, after)).toBe(expected));

  it('uses the clock of the time zone', () => {
    expect(next('0 0 3 * * *', '2026-01-01T12:00:00Z', 'Europe/Berlin')).toBe('2026-01-02T02:00:00.000Z');
    expect(next('0 0 3 * * *', '2026-07-01T12:00:00Z', 'Europe/Berlin')).toBe('2026-07-02T01:00:00.000Z');
  });

  it('fires after the gap for a time that the change of clocks skips', () => {
    expect(next('0 30 2 * * *', '2026-03-28T12:00:00Z', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z');
  });

  it.each([
    '* * * *',
    '60 * * * * *',
    '* * 24 * * *',
    '* * * 0 * *',
    '* * * * 13 *',
    '* * * * * 7',
    'a b c d e',
    '0 0 0 1 janus *',
    '0 0 0 1 x *',
    '0x5 * * * * *',
    '0 0 0 *-5 * *',
  ])('refuses %s', (expression) => expect(() => parseNcrontab(expression)).toThrow(/expected/));

  it.each([
    ['a range from high to low as low to high', '5-1 * * * * *', '1-5 * * * * *'],
    ['Fri-Mon as Mon-Fri', '0 0 0 * * fri-mon', '0 0 0 * * 1-5'],
    ['a step below 1 as 1', '*/0 * * * * *', '* * * * * *'],
    ['a shortened name as the first matching name', '0 0 0 * j tu', '0 0 0 * 1 2'],
  ])('accepts %s, as NCrontab does', (_, expression, same) => {
    const after = '2026-01-01T00:00:05Z';
    expect(next(expression, after)).toBe(next(same, after));
  });

  it('reports a schedule that never fires', () => {
    expect(() => next('0 0 0 31 2 *', '2026-01-01T00:00:00Z')).toThrow('the schedule never fires');
  });
});
