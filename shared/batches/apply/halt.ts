import type { OutcomeHeader } from '../../contract/outcome.ts';
import { storableLine } from '../../contract/text/text.ts';
import type { HaltRule } from '../../workload/define.ts';
import type { BatchPause, BatchRow } from '../batch-row.ts';
import { sumCauses } from '../causes.ts';

const MAX_CAUSE_CHARS = 120;

/**
 * Decides whether a batch is paused by its workload's rule: more than `deadShare` of the items that have ended since
 * `haltFrom` are dead letters, and at least `after` items have. `ends` are the outcomes that have just been counted; the
 * reason names their commonest cause. Not while the batch is `accepting`, for intake would go on beside; nor when nothing
 * is pending, for there is nothing to hold back.
 */
export function haltOf(
  batch: BatchRow,
  ends: readonly OutcomeHeader[],
  { halt, at }: { halt: HaltRule | undefined; at: string },
): BatchPause | undefined {
  if (!halt || (batch.state !== 'queued' && batch.state !== 'running')) return undefined;
  if (batch.chunksDone === batch.chunksTotal) return undefined;
  const { succeeded = 0, dead: deadBefore = 0 } = batch.haltFrom ?? {};
  const dead = batch.dead - deadBefore;
  const ended = batch.succeeded - succeeded + dead;
  if (ended < halt.after || dead <= ended * halt.deadShare) return undefined;
  const counts = `${dead} of ${ended} items that ended are dead letters`;
  const share = `${counts}, more than the share of ${halt.deadShare} that halt allows`;
  const cause = commonestCause(ends);
  const example = cause === undefined ? '' : `; most often: ${storableLine(cause, MAX_CAUSE_CHARS)}`;
  return { by: 'halt', reason: `${share}${example}`, at };
}

const commonestCause = (ends: readonly OutcomeHeader[]): string | undefined =>
  [...sumCauses(ends)].sort(([, a], [, b]) => b - a)[0]?.[0];
