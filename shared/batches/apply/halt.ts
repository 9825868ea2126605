import type { OutcomeHeader } from '../../contract/outcome.ts';
import { storableLine } from '../../contract/text/text.ts';
import type { HaltRule } from '../../workload/define.ts';
import type { BatchPause, BatchRow } from '../batch-row.ts';
import { topCauses } from '../causes.ts';

const MAX_CAUSE_CHARS = 120;

/**
 * Decides whether the rule of its workload pauses a batch: at least `after` items have ended since `haltFrom`, and more
 * than `deadShare` of them are dead letters. `headers` are the outcomes that have just been counted; the reason contains
 * their most common cause. A batch in `enqueueing` is not paused, since its intake would continue; nor is a batch
 * without pending chunks.
 */
export function haltOf(
  batch: BatchRow,
  headers: readonly OutcomeHeader[],
  { halt, at }: { halt: HaltRule | undefined; at: string },
): BatchPause | undefined {
  if (!halt || (batch.state !== 'queued' && batch.state !== 'running')) return undefined;
  if (batch.chunksDone === batch.chunksTotal) return undefined;
  const { succeeded = 0, dead: deadBefore = 0 } = batch.haltFrom ?? {};
  const dead = batch.dead - deadBefore;
  const ended = batch.succeeded - succeeded + dead;
  if (ended < halt.after || dead <= ended * halt.deadShare) return undefined;
  const counts = `${dead} of ${ended} items that ended are dead letters`;
  const reason = `${counts}, more than the fraction of ${halt.deadShare} that halt allows`;
  const [[cause] = []] = topCauses(headers, 1);
  const example = cause === undefined ? '' : `; most often: ${storableLine(cause, MAX_CAUSE_CHARS)}`;
  return { by: 'halt', reason: `${reason}${example}`, at };
}
