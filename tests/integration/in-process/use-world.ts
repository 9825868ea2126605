/**
 * The common setup of the sweep tests: a world that is clean before each test, and must have no open batch after it.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { SweepCounts } from '../../../shared/sweep/sweep-run.ts';
import { downstream, inventory, itemsOf, startWorld, type World } from './world.ts';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const ITEMS = 'echo-normal-0';
export const RESULTS = 'echo-results';
/** The counts of a batch of nine items. */
export const DONE = { state: 'completed', succeeded: 9, announced: true };

/** Provides a world for the tests of one file; it exists when they run. */
export function useWorld(): { world: World } {
  const use = {} as { world: World };
  beforeAll(async () => {
    use.world = await startWorld();
  });
  beforeEach(() => use.world.reset());
  afterEach(async () => {
    downstream.broken.clear();
    use.world.runtime.broken = undefined;
    use.world.topic.broken = false;
    const open = (await inventory(use.world.clients)).filter((name) => name.startsWith('batches open'));
    expect(open).toEqual([]);
  });
  afterAll(() => use.world.stop());
  return use;
}

/** A batch that was accepted and enqueued, and whose wake was lost. */
export async function unheard(world: World): Promise<string> {
  const { id } = await world.submit(itemsOf(9));
  world.topic.events.length = 0;
  return id;
}

/** The counts that are not zero. */
export const did = (counts: SweepCounts): Partial<SweepCounts> =>
  Object.fromEntries(Object.entries(counts).filter(([name, n]) => n !== 0 && name !== 'open'));
