/** The effect of response times and saturated instances on the plan, in models of storage and of a growing app. */
import { describe, expect, test } from 'vitest';
import { type GateRow, newGate } from '../../../../shared/gate/gate-row.ts';
import { adaptGate } from '../../../../shared/gate/planning/adapt.ts';
import { createPlanner } from '../../../../shared/gate/planning/planner.ts';
import type { WaveLoad } from '../../../../shared/gate/planning/wave-load.ts';
import type { WaveSummary } from '../../../../shared/gate/planning/wave-summary.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';
import { address, NOW, registry, summary } from '../../drain/drain-fixtures.ts';

const PLACES = 5;
const adapt = (row: GateRow, wave: WaveSummary): GateRow => ({
  ...row,
  ...adaptGate(row, wave, { isLimited: false, concurrentActivities: PLACES, nowMs: NOW }),
});
const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

/** The response time of storage in milliseconds by the number of tasks; above some time it throttles. */
interface Storage {
  responseMs: (atOnce: number, wave: number) => number;
  throttlesAboveMs: number;
}
/** Each task waits for a response, then works for 20 ms. */
const WORK_MS = 20;

/** Forty waves of at most 100 tasks, after one of a single task; `sees` is whether the plan gets the load. */
function drain({ responseMs, throttlesAboveMs }: Storage, sees: boolean, own: Partial<WaveLoad> = {}) {
  const loadOf = (ms: number): WaveLoad | undefined =>
    sees ? { instances: 20, cpu: 0.3, eventLoop: 0.3, responses: 1_000, responseMs: ms, ...own } : undefined;
  let row = adapt(newGate('q'), summary({ load: loadOf(responseMs(1, 0)) }));
  const waves = Array.from({ length: 40 }, (_, index) => {
    const tasks = row.taskLimit === 0 ? 100 : Math.min(100, row.taskLimit);
    const ms = responseMs(tasks, index);
    const throttled = ms > throttlesAboveMs ? 5 : 0;
    const items = (tasks * 30_000) / (ms + WORK_MS);
    row = adapt(row, summary({ tasks, done: tasks, items, seconds: 30, throttled, load: loadOf(ms) }));
    return { tasks, ms, throttled, items };
  });
  return {
    items: sum(waves.map(({ items }) => items)),
    throttled: sum(waves.slice(5).map(({ throttled }) => throttled)),
    meanMs: sum(waves.slice(5).map(({ ms }) => ms)) / 35,
    lastTasks: waves.at(-1)?.tasks,
  };
}

/** 250 operations per second: more tasks than that only wait longer. It throttles when they wait for 0.2 s. */
const NEAR_ITS_LIMIT: Storage = {
  responseMs: (atOnce) => Math.max(8, (atOnce / 250) * 1_000 - WORK_MS),
  throttlesAboveMs: 200,
};

describe('storage near its limit', () => {
  test('responds faster and does not throttle if its response times are used, for the same items', () => {
    const blind = drain(NEAR_ITS_LIMIT, false);
    const seeing = drain(NEAR_ITS_LIMIT, true);

    expect([blind.throttled > 0, seeing.throttled]).toEqual([true, 0]);
    // The figures of docs/decisions/0004-planning-by-measurement.md.
    expect([blind.meanMs, seeing.meanMs].map(Math.round)).toEqual([178, 96]);
    expect(seeing.items).toBeGreaterThan(blind.items * 0.97);
  });

  test('is not the cause of slow responses on saturated instances: the number of tasks stays', () => {
    const never = { ...NEAR_ITS_LIMIT, throttlesAboveMs: 10_000 };

    expect(drain(never, true, { eventLoop: 0.95 }).lastTasks).toBe(100);
  });

  test('that becomes slow for any number of tasks costs only one wave', () => {
    const turns = { responseMs: (_: number, wave: number) => (wave < 10 ? 10 : 400), throttlesAboveMs: 10_000 };
    const [blind, seeing] = [drain(turns, false), drain(turns, true)];

    expect(seeing.lastTasks).toBe(100);
    expect(seeing.items).toBeGreaterThan(blind.items * 0.97);
  });

  test('that is slow occasionally costs little', () => {
    const hiccups = { responseMs: (_: number, wave: number) => (wave % 13 === 7 ? 500 : 10), throttlesAboveMs: 10_000 };

    expect(drain(hiccups, true).items).toBeGreaterThan(drain(hiccups, false).items * 0.85);
  });
});

const SLICE = 30;

interface App {
  instances: number;
  /** Seconds until the platform adds an instance while tasks wait, up to `most`. */
  addsAfter: number;
  most: number;
  /** Seconds of work for one place. */
  work: number;
}

/** Drains on instances that are busy with five tasks each, in waves of slices sized by the real plan. */
async function drainOn(app: App, sees: boolean) {
  const options = { sliceSeconds: SLICE, visibilitySeconds: 300, capacity: 125, concurrentActivities: PLACES };
  const plan = createPlanner({ ...options, registry, pool: undefined, table: memoryTable().table, now: () => NOW });
  let row: GateRow = { ...newGate('billing-normal-0'), secondsPerReference: 1 };
  let { work, instances, addsAfter: addsAt } = app;
  let now = 0;
  const waits: number[] = [];
  while (work > 0) {
    const { tasks } = await plan(address, row, Math.ceil(work));
    const seconds = Math.min(SLICE, work / tasks);
    let waiting = tasks;
    let ends: number[] = [];
    while (waiting > 0 || ends.length > 0) {
      const begun = Math.min(waiting, instances * PLACES - ends.length);
      ends.push(...Array.from({ length: begun }, () => now + seconds));
      waiting -= begun;
      waits.push(Math.ceil(waiting / (instances * PLACES)) * SLICE);
      const canAdd = waiting > 0 && instances < app.most;
      now = Math.min(...ends, canAdd ? Math.max(now, addsAt) : Number.POSITIVE_INFINITY);
      if (canAdd && now >= addsAt) {
        instances += 1;
        addsAt = now + app.addsAfter;
      }
      ends = ends.filter((end) => end > now);
    }
    work -= tasks * seconds;
    const load: WaveLoad = { instances, cpu: 1, eventLoop: 0.2, responses: 1_000, responseMs: 10 };
    const counts = { tasks, done: tasks * seconds, seconds, taskSeconds: tasks * seconds };
    row = { ...adapt(row, summary({ ...counts, load: sees ? load : undefined })), aliveUntil: 'set' };
    // Time to finish a wave and plan the next.
    now += 1;
  }
  return { seconds: now, instances, waitsLater: Math.max(...waits.slice(waits.indexOf(0))) };
}

describe('saturated instances', () => {
  test('delay other queues by a slice instead of minutes, and finish in the same time', async () => {
    const app = { instances: 1, addsAfter: Number.POSITIVE_INFINITY, most: 1, work: 12_000 };
    const [blind, seeing] = [await drainOn(app, false), await drainOn(app, true)];

    expect([blind.waitsLater, seeing.waitsLater]).toEqual([570, 30]);
    expect(seeing.seconds).toBeLessThan(blind.seconds * 1.03);
  });

  test('get as many further instances as without the bound', async () => {
    const app = { instances: 1, addsAfter: 20, most: 20, work: 60_000 };
    const [blind, seeing] = [await drainOn(app, false), await drainOn(app, true)];

    expect([blind.instances, seeing.instances]).toEqual([20, 20]);
    expect(seeing.seconds).toBeLessThan(blind.seconds * 1.05);
  });
});
