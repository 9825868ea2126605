import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ChunkRun } from '../../../../../shared/processing/thread/calls/chunk-run.ts';
import { runUnits, type Units } from '../../../../../shared/processing/thread/calls/run-units.ts';
import { createStatusBuffer } from '../../../../../shared/processing/thread/thread-status.ts';

const numbers = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** A tenth of a millisecond of work. */
function work(): void {
  const end = performance.now() + 0.1;
  while (performance.now() < end);
}

/** Runs units of a workload without limits. */
function runUpTo<T>(limit: number, units: T[], start: Units<T>['start']): Promise<void> {
  const run = { statusBuffer: createStatusBuffer(units.length), nowMs: () => 0, copier: { check: () => {} } };
  return runUnits(run as unknown as ChunkRun, { limit, units, sourcesOf: () => [], start });
}

describe('runUnits', () => {
  it('rejects with the first error when all have ended', async () => {
    const ended: number[] = [];
    const run = runUpTo(4, numbers(4), async (n) => {
      await sleep(n);
      ended.push(n);
      if (n < 2) throw new Error(`${n}`);
    });
    await expect(run).rejects.toThrow('0');
    expect(ended).toEqual([0, 1, 2, 3]);
  });

  it.each([
    ['that need no wait', () => undefined],
    ['that are promises without a wait', () => Promise.resolve()],
  ])('lets calls in flight continue between units %s', async (_, rest) => {
    let begun = 0;
    let endedAt = 0;
    await runUpTo(8, numbers(2_000), (n) => {
      begun += 1;
      if (n === 0) {
        return sleep(5).then(() => {
          endedAt = begun;
        });
      }
      work();
      return rest();
    });
    expect(endedAt).toBeGreaterThan(0);
    expect(endedAt).toBeLessThan(2_000);
  });
});
