/** A meter of its own that sees no request, and what goes with it. */
import { createMeter, type Meter } from '../../shared/cost/meter.ts';
import { createSpending, type Spending } from '../../shared/wake/spending.ts';

/** For deps of which a test does not look at the counts. */
export function uncounted(): { meter: Meter; spending: Spending } {
  const meter = createMeter();
  return { meter, spending: createSpending(meter) };
}
