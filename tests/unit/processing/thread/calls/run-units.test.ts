import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runChunk } from '../../../../../shared/processing/thread/run-chunk.ts';
import { taskOf } from '../../../../../shared/processing/threads/process-chunk.ts';
import { ids, type MapItem, run, workloadOf } from '../../../../helpers/threads/run-chunk.ts';

const numbers = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** A tenth of a millisecond of work. */
function work(): void {
  const end = performance.now() + 0.1;
  while (performance.now() < end);
}

describe('runUnits', () => {
  it('rejects with the first error when all have ended', async () => {
    const ended: number[] = [];
    const map: MapItem = async ({ id }) => {
      await sleep(id);
      ended.push(id);
      if (id < 2) throw new Error('retried');
    };
    const tools = {
      clockMs: () => 0,
      // Is needed for each failed item.
      random: () => {
        throw new Error(`${ended.at(-1)}`);
      },
      log: () => {},
    };
    const workload = workloadOf(map, { concurrency: 4, timeoutSeconds: 5 });
    await expect(runChunk(workload, taskOf(ids(...numbers(4)), 60_000), tools)).rejects.toThrow('0');
    expect(ended).toEqual([0, 1, 2, 3]);
  });

  it.each([
    ['that need no wait', () => undefined],
    ['that are promises without a wait', () => Promise.resolve()],
  ])('lets calls in flight continue between units %s', async (_, rest) => {
    let begun = 0;
    let endedAt = 0;
    const map: MapItem = ({ id }) => {
      begun += 1;
      if (id === 0) {
        return sleep(5).then(() => {
          endedAt = begun;
        });
      }
      work();
      return rest();
    };
    await run(workloadOf(map, { concurrency: 8, timeoutSeconds: 5 }), ids(...numbers(2_000)));
    expect(endedAt).toBeGreaterThan(0);
    expect(endedAt).toBeLessThan(2_000);
  });
});
