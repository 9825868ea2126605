import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { exceededLimits, type Limits, missedRate, shareOfRate } from '../../helpers/rates.ts';
import type { ProcessPlan } from './process.ts';
import { type Simulated, type Simulation, simulate } from './simulate.ts';

const base = { version: 1, item: z.unknown() } as const;
const mails = defineWorkload({
  ...{ ...base, name: 'mails', rateLimit: { calls: 200, perSeconds: 6 }, maxConcurrency: 4_000, concurrency: 8 },
  mapChunk: async (items) => items,
  group: { maxItems: 200 },
});

afterEach(() => void vi.unstubAllGlobals());

const run = (simulation: Simulation): Promise<Simulated> =>
  simulate(simulation, ({ setInterval, clearInterval }) => {
    vi.stubGlobal('setInterval', setInterval);
    vi.stubGlobal('clearInterval', clearInterval);
  });

const plain = (index: number): ProcessPlan => ({
  ...{ id: `p${index}`, offsetMs: 0, startMs: 0, latencyMs: 100, tasks: 2 },
});

describe('calm', () => {
  it.each([1, 2, 8])('%i', async (count) => {
    const processes = Array.from({ length: count }, (_, index) => plain(index));
    const start = performance.now();
    const { calls, operations } = await run({ seed: 1, workload: mails, seconds: 120, processes, lostShare: 0 });
    const limits: Limits = { unit: 'calls', limit: 200, perMs: 6_000, maxConcurrency: 4_000 };
    console.log(count, calls.length, operations, shareOfRate(calls, limits, { fromMs: 1_000, toMs: 120_000 }), performance.now() - start);
    expect(exceededLimits(calls, limits)).toEqual([]);
    expect(missedRate(calls, limits, { fromMs: 1_000, toMs: 120_000 })).toEqual([]);
  });
});
