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
