import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TIMED_OUT } from './checks/time-limit.ts';
import { runRandom } from './random.ts';

/** As many as a small machine completes in about a minute; `npm run faults` runs any number. */
const RUNS = 24;
/**
 * Three instances. The first runs kill one, freeze one beyond its leases, drain one, and let an invocation of one exceed
 * functionTimeout.
 */
const SEED = 27_381;
const TIMEOUT_MS = 900_000;

test(
  'nothing is lost, doubled or stuck under random faults',
  async () => {
    // Prepare
    const folder = await mkdtemp(join(tmpdir(), 'sluice-random-'));
    const seed = Number(process.env.SLUICE_FAULTS_SEED ?? SEED);

    // Act
    const score = await runRandom({
      ...{ name: 'faults/random-test', folder, runs: RUNS, seed, minutes: 0.25, slots: 12, items: 20_000, quick: true },
    });

    // Assess
    console.log(score.table());
    expect(score.runs).toBeGreaterThan(0);
    expect(score.isClean, score.table()).toBe(true);
    if (seed === SEED) expect(score.faultsOf(TIMED_OUT), score.table()).toBeGreaterThan(0);
    await rm(folder, { recursive: true, force: true });
  },
  TIMEOUT_MS,
);
