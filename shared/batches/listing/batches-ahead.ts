import type { Table } from '../../storage/table.ts';
import type { BatchRow } from '../batch-row.ts';
import { type OpenBatch, openBatches } from './open-rows.ts';

/** Maximum number of open batches that one call counts: five operations. */
const MAX_AHEAD = 5_000;

type Waiting = Pick<BatchRow, 'id' | 'workload' | 'lane' | 'openedAt'>;

/** Counts the work ahead of a batch, with one query over the open batches of its workload. */
export async function readBatchesAhead(table: Table, waiting: Waiting): Promise<ReturnType<typeof countAhead>> {
  const seen: OpenBatch[] = [];
  for await (const open of openBatches(table, waiting.workload)) if (seen.push(open) === MAX_AHEAD) break;
  return countAhead(seen, waiting);
}

/**
 * Counts the open batches whose references are in the same queues and were put before: those of the same lane that were
 * opened earlier, with the items that they had then. A redrive is opened later than its upload. A redrive of the report
 * alone has no references, and is not counted.
 */
export function countAhead(open: readonly OpenBatch[], { id, lane, openedAt }: Waiting) {
  const openedMs = Date.parse(openedAt);
  const ahead = open.filter(
    (other) => other.id !== id && other.openedAt < openedMs && other.lane === lane && other.items > 0,
  );
  return { batches: ahead.length, items: ahead.reduce((sum, { items }) => sum + items, 0) };
}
