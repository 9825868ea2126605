import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../../../bench/scale/limits.ts';
import { loadTime } from '../../../../bench/scale/load-time.ts';
import {
  type Constants,
  chunkSeconds,
  type Deployment,
  instancesUsed,
  RECEIVE,
  ROWS,
  SLICE,
  steadyRate,
  TARGET,
  type Work,
  wavePart,
} from '../../../../bench/scale/model.ts';
import { simulate } from '../../../../bench/scale/simulation/simulate.ts';
import { MAX_CHUNK_ROWS_PER_TRANSACTION } from '../../../../shared/batches/ledger.ts';
import { MAX_RECEIVE } from '../../../../shared/contract/queue-limits.ts';
import { DEFAULT_POLICY } from '../../../../shared/gate/policy.ts';
import { DEFAULTS } from '../../../../shared/settings.ts';

/** The tolerance stated in docs/performance.md. */
const TOLERANCE = 0.2;

const constants: Constants = { acceptPerItem: 4e-6, collectPerChunk: 0.002, start: 0.264 };

const computes = (itemsPerChunk: number, mergePerItem = 1e-6): Work => ({
  ...{ name: 'computes', itemsPerChunk, cpuPerItem: 12e-6, wait: 0, concurrency: 1, mergePerItem, bytesPerItem: 60 },
});
const waits = (itemsPerChunk: number): Work => ({
  ...{
    name: 'waits',
    itemsPerChunk,
    cpuPerItem: 30e-6,
    wait: 0.05,
    concurrency: 64,
    mergePerItem: 0,
    bytesPerItem: 60,
  },
});

const deployed = (instances: number, changes: Partial<Deployment> = {}): Deployment => ({
  ...{ instances, cores: 1, queues: 1, tasksPerQueue: 100, activities: 5, latency: 0.01, subscriptions: 1 },
  ...changes,
});

const WORKS = [computes(2_000), computes(5_000), computes(20_000), waits(1_000), waits(5_000)];
const DEPLOYMENTS = [
  deployed(1, { tasksPerQueue: 4 }),
  deployed(4, { tasksPerQueue: 16, isWarm: true }),
  deployed(8, { tasksPerQueue: 32, cores: 2 }),
  deployed(10, { tasksPerQueue: 40, latency: 0.03 }),
  deployed(100),
  deployed(100, { tasksPerQueue: 400 }),
  deployed(100, { queues: 5, tasksPerQueue: 400 }),
  deployed(200, { tasksPerQueue: 1_000 }),
];
const GRID = WORKS.flatMap((work) => DEPLOYMENTS.map((deployment) => ({ work, deployment })));
/** The credits of the namespace are the bound, because of twenty subscriptions. */
const CREDITS = { work: waits(1_000), deployment: deployed(100, { queues: 5, tasksPerQueue: 400, subscriptions: 20 }) };

/** A load of about a minute: seconds of the simulation per second of the model. */
function simulatedOverComputed({ work, deployment }: (typeof GRID)[number]): number {
  const { itemsPerSecond } = steadyRate(work, deployment, constants, 4);
  const load = { batches: 4, chunksPerBatch: Math.ceil((itemsPerSecond * 60) / work.itemsPerChunk / 4) };
  return simulate(load, work, deployment, constants).seconds / loadTime(load, work, deployment, constants).seconds;
}

describe('the constants of the model', () => {
  it('are those of the code', () => {
    const { SLUICE_SLICE_SECONDS } = DEFAULTS;
    expect({ RECEIVE, ROWS, SLICE, TARGET }).toEqual({
      RECEIVE: MAX_RECEIVE,
      ROWS: MAX_CHUNK_ROWS_PER_TRANSACTION,
      SLICE: Number(SLUICE_SLICE_SECONDS),
      TARGET: DEFAULT_POLICY.targetSeconds,
    });
  });
});

describe('the model', () => {
  it.each(GRID)('agrees with the simulation: $work.name, $work.itemsPerChunk per chunk, $deployment', (given) => {
    expect(chunkSeconds(given.work)).toBeLessThan(SLICE / 6);
    const ratio = simulatedOverComputed(given);
    expect(ratio).toBeGreaterThan(1 - TOLERANCE);
    expect(ratio).toBeLessThan(1 + TOLERANCE);
  });

  it('is too low if events wait for credits, because rounds then publish less often', () => {
    expect(steadyRate(CREDITS.work, CREDITS.deployment, constants, 4).bound).toBe('Service Bus');
    const ratio = simulatedOverComputed(CREDITS);
    expect(ratio).toBeGreaterThan(0.65);
    expect(ratio).toBeLessThan(1);
  });

  it.each(WORKS)('agrees on one batch with its upload: $name, $itemsPerChunk per chunk', (work) => {
    for (const deployment of [deployed(10, { tasksPerQueue: 40 }), deployed(100)]) {
      const load = { batches: 1, chunksPerBatch: Math.ceil(3_000_000 / work.itemsPerChunk), withUpload: true };
      const { seconds } = loadTime(load, work, deployment, constants);
      const simulated = simulate(load, work, deployment, constants);
      expect(simulated.seconds / seconds).toBeGreaterThan(1 - TOLERANCE);
      expect(simulated.seconds / seconds).toBeLessThan(1 + TOLERANCE);
    }
  });

  it('gives the same simulation for the same seed, and another one for another', () => {
    const run = (seed: number) =>
      simulate({ batches: 2, chunksPerBatch: 50 }, waits(1_000), deployed(4), constants, seed);
    expect(run(7)).toEqual(run(7));
    expect(run(7)).not.toEqual(run(8));
  });

  it('starts at most one instance per five tasks, and warm instances share the tasks evenly', () => {
    expect(instancesUsed(deployed(100))).toBe(20);
    expect(instancesUsed(deployed(100, { tasksPerQueue: 1_000 }))).toBe(100);
    expect(instancesUsed(deployed(100, { isWarm: true }))).toBe(100);
    const load = { batches: 1, chunksPerBatch: 2_000 };
    expect(simulate(load, waits(5_000), deployed(100), constants).tookPart).toBe(20);
    expect(simulate(load, waits(5_000), deployed(100, { isWarm: true }), constants).tookPart).toBe(100);
  });

  it.each([
    ['instances', waits(5_000), deployed(10, { tasksPerQueue: 100 })],
    ['tasks per wave', waits(5_000), deployed(100)],
    ['collector', computes(5_000), deployed(100)],
    ['collector', computes(1_000, 0), deployed(200, { tasksPerQueue: 1_000 })],
  ] as const)('returns %s as the bound', (bound, work, deployment) => {
    expect(steadyRate(work, deployment, constants, 4).bound).toBe(bound);
  });

  it('never exceeds the ideal of its threads, nor a documented limit', () => {
    for (const { work, deployment } of GRID) {
      const { itemsPerSecond } = steadyRate(work, deployment, constants, 1);
      const ideal = (deployment.instances * deployment.cores * work.itemsPerChunk) / chunkSeconds(work);
      expect(itemsPerSecond).toBeLessThanOrEqual(ideal);
      expect((3 * itemsPerSecond) / work.itemsPerChunk).toBeLessThanOrEqual(LIMITS.queue.value * deployment.queues);
    }
  });

  it('loses a part of each wave to the starts of its tasks, and a smaller part with more queues', () => {
    const [one, five] = [deployed(200, { tasksPerQueue: 1_000 }), deployed(200, { queues: 5, tasksPerQueue: 200 })];
    expect(wavePart(one)).toBeLessThan(wavePart(five));
    expect(wavePart(five)).toBeLessThan(1);
  });

  it('counts acceptance and merge of one batch as serial time', () => {
    const load = { batches: 1, chunksPerBatch: 2_000, withUpload: true };
    const times = [10, 100, 1_000].map((count) =>
      loadTime(load, computes(5_000), deployed(count, { queues: 5, tasksPerQueue: 4 * count }), constants),
    );
    for (const { seconds, serialSeconds } of times) {
      expect(seconds).toBeGreaterThan(serialSeconds);
      expect(serialSeconds).toBeGreaterThan(2_000 * 5_000 * (4e-6 + 1e-6));
    }
    expect(times[2]?.seconds).toBeLessThanOrEqual(times[0]?.seconds ?? 0);
  });
});
