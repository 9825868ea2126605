/** A separate meter without any requests, and the objects that need one. */
import { createMeter, type Meter } from '../../../shared/cost/meter.ts';
import { writeGate } from '../../../shared/gate/gate-store.ts';
import { createSpending, type Spending } from '../../../shared/gate/spending.ts';

/** For tests that do not check the counts. */
export function uncounted(): { meter: Meter; spending: Spending } {
  const meter = createMeter();
  return { meter, spending: createSpending(meter) };
}

/**
 * Writes gates without recording costs in them. For explorers: costs decide nothing, and their sums would distinguish
 * rows of the same state.
 */
export const unrecorded: Spending = {
  within: (_queue, work) => work(),
  add: () => {},
  isLeft: () => false,
  writeGate: (table, { row, etag }) => writeGate(table, row, etag),
};
