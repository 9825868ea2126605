import { describe, expect, it } from 'vitest';
import { forEachInParallel } from '../../shared/parallel.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('forEachInParallel', () => {
  it('takes an item of the source only when fewer than the limit are in work', async () => {
    let [taken, done, most] = [0, 0, 0];
    function* source(): Generator<number> {
      for (; taken < 50; ) yield taken++;
    }
    const seen: number[] = [];
    await forEachInParallel(source(), 4, async (n) => {
      seen.push(n);
      most = Math.max(most, taken - done);
      await turn();
      done++;
    });
    expect(seen).toEqual(Array.from({ length: 50 }, (_, n) => n));
    expect(most).toBe(4);
  });

  it('rejects with the first error, and takes no further items', async () => {
    let taken = 0;
    async function* source(): AsyncGenerator<number> {
      for (;;) yield taken++;
    }
    const failing = forEachInParallel(source(), 4, async (n) => {
      await turn();
      if (n === 5) throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    await turn();
    expect(taken).toBeLessThan(20);
  });
});
