import { afterEach, describe, expect, it, vi } from 'vitest';
import { Turns } from '../../shared/turns.ts';

afterEach(() => vi.restoreAllMocks());

describe('Turns', () => {
  it('lets other work run once 10 ms have passed since the last time, and not before', async () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    const turns = new Turns();
    clock.mockReturnValue(1_009);
    expect(turns.next()).toBeUndefined();
    let others = 0;
    setImmediate(() => others++);
    clock.mockReturnValue(1_010);
    await turns.next();
    expect(others).toBe(1);
    expect(turns.next()).toBeUndefined();
  });
});

/** Occupies the process for as long as a computation may. */
function occupy(): void {
  const endMs = performance.now() + 11;
  while (performance.now() < endMs);
}

it('of several computations, one continues per turn of the event loop', async () => {
  let isOver = false;
  let loops = 0;
  const loop = (): void => {
    loops += 1;
    if (!isOver) setImmediate(loop);
  };
  setImmediate(loop);
  const seen: number[] = [];
  const compute = async (): Promise<void> => {
    const turns = new Turns();
    for (let step = 0; step < 3; step += 1) {
      occupy();
      await turns.next();
      seen.push(loops);
    }
  };

  await Promise.all(Array.from({ length: 4 }, compute));
  isOver = true;

  expect(seen).toHaveLength(12);
  expect(new Set(seen).size).toBeGreaterThanOrEqual(11);
});
