/** Current dead letters of several batches, by cause. Pure. */
import { createCauseGroups, type DeadBatch } from '../dead-letters/cause-groups.ts';
import type { Overview } from './schemas.ts';

const MAX_CAUSES = 20;

/** Counts the dead letters, and the most frequent causes per workload. */
export function sumDeadLetters(batches: Iterable<DeadBatch>): Pick<Overview['deadLetters'], 'count' | 'causes'> {
  const collected = createCauseGroups({ labels: [] });
  for (const batch of batches) collected.add(batch);
  const { count, groups } = collected.result();
  const causes = groups.slice(0, MAX_CAUSES).map(({ cause, workload, count, batches, moreBatches }) => ({
    ...{ cause, workload, count, newest: batches[0]?.id ?? '' },
    batches: batches.length + moreBatches,
  }));
  return { count, causes };
}
