import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseSchedule } from '../../../../src/host/timer/schedule.ts';
import { afterRun, createTimerStore, planStart } from '../../../../src/host/timer/timer-status.ts';

const everyMinute = parseSchedule('00:01:00');
const at = { nowMs: 1_000_000, runOnStartup: false };

describe('parseSchedule', () => {
  it.each([
    ['*/30 * * * * *', true, true],
    ['0 */5 * * * *', true, false],
    ['00:00:30', false, true],
    ['01:00:00', false, false],
  ])('%s: cron %s, more than once a minute %s', (text, adjustForDst, isSubMinute) => {
    expect(parseSchedule(text)).toMatchObject({ adjustForDst, isSubMinute });
  });

  it('refuses any other text', () => {
    expect(() => parseSchedule('whenever')).toThrow(
      /'whenever' was not recognized as a valid cron expression or timespan/,
    );
  });
});

describe('planStart', () => {
  it('starts at the next occurrence if no status was stored', () => {
    expect(planStart(everyMinute, undefined, at)).toEqual({ status: { nextMs: 1_060_000, lastUpdatedMs: 1_000_000 } });
  });

  it('runs immediately as past due if it missed its time', () => {
    const stored = { lastMs: 900_000, nextMs: 960_000, lastUpdatedMs: 900_000 };
    expect(planStart(everyMinute, stored, at)).toEqual({ status: stored, runNow: 'IsPastDue' });
  });

  it('waits if its time is in the future', () => {
    const stored = { lastMs: 990_000, nextMs: 1_050_000, lastUpdatedMs: 990_000 };
    expect(planStart(everyMinute, stored, at)).toEqual({ status: stored });
  });

  it('runs no missed occurrence if the schedule itself has changed', () => {
    const stored = { lastMs: 900_000, nextMs: 900_001, lastUpdatedMs: 900_000 };
    expect(planStart(everyMinute, stored, at)).toEqual({
      status: { ...stored, nextMs: 1_060_000, lastUpdatedMs: 1_000_000 },
    });
  });

  it('runs on startup unless it is past due', () => {
    const stored = { lastMs: 900_000, nextMs: 960_000, lastUpdatedMs: 900_000 };
    expect(planStart(everyMinute, undefined, { ...at, runOnStartup: true }).runNow).toBe('RunOnStartup');
    expect(planStart(everyMinute, stored, { ...at, runOnStartup: true }).runNow).toBe('IsPastDue');
  });
});

describe('afterRun', () => {
  const previous = { nextMs: 1_060_000, lastUpdatedMs: 1_000_000 };

  it.each([
    ['late', 1_060_500, true, 1_060_500],
    ['slightly early', 1_059_990, true, 1_060_000],
    ['outside the schedule', 1_010_000, false, 1_010_000],
  ])('counts a run that was %s', (_, startedMs, scheduled, lastMs) => {
    const status = afterRun(everyMinute, previous, startedMs, scheduled);
    expect(status).toEqual({ lastMs, nextMs: lastMs + 60_000, lastUpdatedMs: lastMs });
  });
});

describe('createTimerStore', () => {
  it('returns the stored status, and nothing for an unknown timer', () => {
    const folder = mkdtempSync(join(tmpdir(), 'timers-'));
    try {
      const store = createTimerStore(folder);
      store.write('Sweep', { nextMs: 2, lastUpdatedMs: 1 });
      expect(store.read('sweep')).toEqual({ nextMs: 2, lastUpdatedMs: 1 });
      expect(store.read('other')).toBeUndefined();
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
