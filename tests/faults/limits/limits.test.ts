/**
 * Tests limits in virtual time: one, two and eight processes with the real limiter and one quota row, while processes
 * start, end, die and freeze, clocks are wrong and writes are lost. SLUICE_FAULTS_DEEP tries a hundred times as many
 * seeds.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { withLog } from '../../../shared/telemetry/log.ts';
import { defineWorkload, type Workload } from '../../../shared/workload/define.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';
import { busiestWindow, exceededLimits, type Limits, missedRate } from '../../helpers/servers/rates.ts';
import { MUTANTS } from './mutants.ts';
import { planOf } from './plan.ts';
import { type Simulated, type Simulation, simulate } from './simulate.ts';

const common = { version: 1, item: z.unknown() } as const;
const group = { maxItems: 200 } as const;
const one = async (item: unknown): Promise<unknown> => item;
const many = async (items: unknown[]): Promise<unknown[]> => items;

/** Each kind of limit; more items may be in flight than the rate needs. */
const WORKLOADS: readonly Workload[] = [
  defineWorkload({
    ...{ ...common, name: 'calls-of-groups', mapChunk: many, group },
    ...{ rateLimit: { calls: 200, perSeconds: 6 }, maxConcurrency: 8_000, concurrency: 32 },
  }),
  defineWorkload({
    ...{ ...common, name: 'calls', map: one },
    ...{ rateLimit: { calls: 20, perSeconds: 1 }, maxConcurrency: 16, concurrency: 16 },
  }),
  defineWorkload({
    ...{ ...common, name: 'items-of-groups', mapChunk: many, group },
    ...{ rateLimit: { items: 2_000, perSeconds: 1 }, concurrency: 8 },
  }),
];
const PROCESSES = [1, 2, 8];
const SECONDS = 60;
const QUEUES = ['transactional', 'bulk'].map((name) => ({ name, tasks: 4 }));
/** Waiting processes check at many moments. */
const MANY_QUEUES = Array.from({ length: 8 }, (_, n) => ({ name: `lane${n}`, tasks: 2 }));
const SEEDS = process.env.SLUICE_FAULTS_DEEP === undefined ? 3 : 300;
const MUTANT_SEEDS = 10;
const LOST_SHARE = 0.03;
/** Until the first process has its share. */
const BEGIN_MS = 1_000;

const limitsOf = ({ rateLimit, maxConcurrency }: Workload): Limits => {
  if (rateLimit === undefined) throw new Error('The workload has no rate.');
  const { perSeconds } = rateLimit;
  const counted =
    'items' in rateLimit ? { unit: 'items', limit: rateLimit.items } : { unit: 'calls', limit: rateLimit.calls };
  return { ...counted, perMs: perSeconds * 1_000, ...(maxConcurrency ? { maxConcurrency } : {}) } as Limits;
};

afterEach(() => void vi.unstubAllGlobals());

const run = (simulation: Simulation): Promise<Simulated> =>
  withLog(SILENT_LOG, () =>
    simulate(simulation, ({ setInterval, clearInterval }) => {
      vi.stubGlobal('setInterval', setInterval);
      vi.stubGlobal('clearInterval', clearInterval);
    }),
  );

const planned = (seed: number, workload: Workload, processes: number, harsh: boolean): Simulation => ({
  ...{ seed, workload, seconds: SECONDS, queues: QUEUES, lostShare: harsh ? LOST_SHARE : 0 },
  processes: planOf(seed, { processes, seconds: SECONDS, harsh }),
});

const CASES = WORKLOADS.flatMap((workload) =>
  PROCESSES.map((processes) => [workload.name, processes, workload] as const),
);

describe.each(CASES)('a limit of %s on %i processes', (_name, processes, workload) => {
  const limits = limitsOf(workload);

  it('is used fully, and not exceeded, without faults', async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { calls } = await run(planned(seed, workload, processes, false));
      expect(exceededLimits(calls, limits), `seed ${seed}`).toEqual([]);
      expect(missedRate(calls, limits, { fromMs: BEGIN_MS, toMs: SECONDS * 1_000 }), `seed ${seed}`).toEqual([]);
    }
  });

  it('is not exceeded by processes that start, end, die and freeze', async () => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const { calls } = await run(planned(seed, workload, processes, true));
      expect(calls.length, `seed ${seed}`).toBeGreaterThan(0);
      expect(exceededLimits(calls, limits), `seed ${seed}`).toEqual([]);
    }
  });
});

describe('the mutant is found:', () => {
  it.each(MUTANTS)('$name', async ({ bend, finds, processes, maxConcurrency }) => {
    const rateLimit = { calls: 20, perSeconds: 1 };
    const bounded = maxConcurrency === undefined ? {} : { maxConcurrency };
    const workload = defineWorkload({ ...common, name: 'mutant', map: one, rateLimit, ...bounded });
    const found: string[] = [];
    for (let seed = 1; seed <= MUTANT_SEEDS && found.length === 0; seed += 1) {
      const simulation = { ...planned(seed, workload, 1, false), processes, queues: MANY_QUEUES };
      expect(exceededLimits((await run(simulation)).calls, limitsOf(workload))).toEqual([]);
      const { calls } = await run({ ...simulation, bend });
      found.push(...exceededLimits(calls, limitsOf(workload)));
    }
    expect(found).toContainEqual(expect.stringMatching(finds));
  });
});

it('the busiest window uses nearly the whole rate, so the count is meaningful', async () => {
  const [workload] = WORKLOADS as [Workload];
  const limits = limitsOf(workload);
  const { calls } = await run(planned(1, workload, 2, false));
  expect(busiestWindow(calls, limits.unit, limits.perMs).count).toBeGreaterThan(0.9 * limits.limit);
});
