import type { BatchRow } from '../batches/batch-row.ts';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { revisionOf } from '../contract/names.ts';

/**
 * Computes the latency of the current revision's items (done − revision opened), in milliseconds, weighted by the number
 * of items that each chunk ended. Items of earlier revisions keep their figures. Empty for a revision without items: a
 * redrive of the report alone.
 */
export function latencies(
  batch: Pick<BatchRow, 'openedAt' | 'revision'>,
  rows: readonly ChunkRow[],
): Pick<BatchRow, 'latencyP50' | 'latencyP95' | 'latencyMax'> {
  const opened = Date.parse(batch.openedAt);
  const done = rows
    .filter(({ chunk }) => revisionOf(chunk) === batch.revision)
    .flatMap((row) =>
      row.header && row.doneAt ? [{ ms: Date.parse(row.doneAt) - opened, items: endedItems(row) }] : [],
    )
    .sort((a, b) => a.ms - b.ms);
  const total = done.reduce((sum, { items }) => sum + items, 0);
  if (total === 0) return {};
  const at = (quantile: number): number => {
    let seen = 0;
    for (const { ms, items } of done) {
      seen += items;
      if (seen >= quantile * total) return Math.max(0, ms);
    }
    return 0;
  };
  return { latencyP50: at(0.5), latencyP95: at(0.95), latencyMax: at(1) };
}

const endedItems = ({ header }: ChunkRow): number =>
  header === undefined ? 0 : header.counts.succeeded + header.counts.dead + header.counts.cancelled;
