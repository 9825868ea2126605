/** A meter of its own that sees no request, and what goes with it. */
import { createMeter, type Meter } from '../../../shared/cost/meter.ts';
import { writeGate } from '../../../shared/wake/gate/gate-store.ts';
import { createSpending, type Spending } from '../../../shared/wake/gate/spending.ts';

/** For deps of which a test does not look at the counts. */
export function uncounted(): { meter: Meter; spending: Spending } {
  const meter = createMeter();
  return { meter, spending: createSpending(meter) };
}

/**
 * Writes gates and records nothing in them. For explorers: what was spent decides nothing, and its sums would make rows differ
 * that are the same state.
 */
export const unrecorded: Spending = {
  within: (_queue, work) => work(),
  add: () => {},
  isLeft: () => false,
  write: (table, { row, etag }) => writeGate(table, row, etag),
};
