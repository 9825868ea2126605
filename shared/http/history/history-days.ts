/** The figures of the batches per day and workload, from their lines in the listing. */
import { isFinished } from '../../batches/batch-row.ts';
import type { IndexEntry } from '../../batches/listing/index-rows.ts';
import { deadlineMs, tookMs } from '../../batches/listing/listed-times.ts';
import { batchDate } from '../../contract/names.ts';
import { addBatch, NOTHING_SPENT, type PeriodBasis, type PeriodSpent, priceSpent } from '../../cost/period.ts';
import { type PriceClass, unverifiedOf } from '../../cost/sheet.ts';
import { type ReceiptBasis, rounded, spentOf } from '../batches/view/receipt-view.ts';
import type { HistoryDay } from './schemas.ts';

/** The sums of a day and workload. `timed` covers only batches with a known duration. */
interface Sum extends Pick<HistoryDay, 'day' | 'workload' | 'dead' | 'discarded' | 'deadlinesMissed'> {
  spent: PeriodSpent;
  latencyP95: number | undefined;
  deadlineMs: number | undefined;
  timed: { items: number; seconds: number };
}

/** Creates an empty collection. */
export function createHistoryDays(basis: ReceiptBasis): {
  add: (entry: IndexEntry) => void;
  days: () => HistoryDay[];
  unverified: () => PriceClass[];
} {
  const sums = new Map<string, Sum>();
  const add = (entry: IndexEntry): void => {
    const first = firstOf(entry);
    if (!first) return;
    const [day, { workload }] = [batchDate(entry.id), entry];
    const key = `${day} ${workload}`;
    const sum = sums.get(key) ?? emptySum(day, workload);
    sums.set(key, sum);
    sum.spent = addBatch(sum.spent, spentOf(entry, basis));
    sum.dead += entry.dead;
    sum.discarded += entry.discarded;
    sum.deadlinesMissed += first.deadlineMet ? 0 : 1;
    sum.latencyP95 = extreme(Math.max, sum.latencyP95, entry.latencyP95);
    sum.deadlineMs = extreme(Math.min, sum.deadlineMs, first.deadlineMs);
    if (first.tookMs === undefined) return;
    sum.timed.items += entry.accepted;
    sum.timed.seconds += first.tookMs / 1000;
  };
  const days = (): HistoryDay[] => [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => dayOf(sum, basis));
  const unverified = (): PriceClass[] =>
    unverifiedOf(
      basis.prices,
      [...sums.values()].flatMap(({ spent }) => priceSpent(spent, basis).unverified),
    );
  return { add, days, unverified };
}

const emptySum = (day: string, workload: string): Sum => ({
  ...{ day, workload, dead: 0, discarded: 0, deadlinesMissed: 0, spent: NOTHING_SPENT },
  ...{ latencyP95: undefined, deadlineMs: undefined, timed: { items: 0, seconds: 0 } },
});

interface First {
  deadlineMet: boolean;
  tookMs?: number | undefined;
  deadlineMs?: number | undefined;
}

/** The first revision of a batch; undefined until it is finished. Lines of redriven batches contain separate columns for it. */
function firstOf(entry: IndexEntry): First | undefined {
  const { deadlineMet, firstTookMs, firstDeadlineMs, completedAt, deadlineAt } = entry;
  if (deadlineMet !== undefined) return { deadlineMet, tookMs: firstTookMs, deadlineMs: firstDeadlineMs };
  if (!isFinished(entry.state) || completedAt === undefined) return undefined;
  return { deadlineMet: completedAt <= deadlineAt, tookMs: tookMs(entry), deadlineMs: deadlineMs(entry) };
}

const extreme = (
  choose: (a: number, b: number) => number,
  known: number | undefined,
  value: number | undefined,
): number | undefined => (known === undefined || value === undefined ? (known ?? value) : choose(known, value));

function dayOf(sum: Sum, basis: PeriodBasis): HistoryDay {
  const { day, workload, dead, discarded, deadlinesMissed, spent, timed } = sum;
  const { work, wakeUps, storageOperations } = priceSpent(spent, basis);
  return rounded({
    ...{ day, workload, batches: spent.batches, items: spent.items, dead, discarded, deadlinesMissed },
    latencyP95Ms: sum.latencyP95 ?? null,
    deadlineMs: sum.deadlineMs ?? null,
    itemsPerSecond: timed.seconds === 0 ? null : timed.items / timed.seconds,
    operations: Math.round(storageOperations),
    usd: work.usd + wakeUps.usd,
  });
}
