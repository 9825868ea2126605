import { api } from '../api/client.ts';
import type { BatchEntry, CancelAnswer } from '../api/types.ts';
import { isFinished } from '../batch/finished.ts';
import { formatNumberOf } from '../format.ts';

export type BulkKind = 'cancel' | 'delete';

/** The batches that an action applies to; it skips the others. */
export interface BulkPlan {
  batches: readonly BatchEntry[];
  does: readonly string[];
  /** Why the others are skipped, as text. */
  stays: readonly string[];
}

const batchesText = (count: number): string => formatNumberOf(count, 'batch', 'batches');
const sum = (batches: readonly BatchEntry[], field: 'accepted' | 'pending' | 'dead'): number =>
  batches.reduce((total, batch) => total + batch[field], 0);

/** Plans an action on the selected batches. */
export function bulkPlan(kind: BulkKind, selected: readonly BatchEntry[]): BulkPlan {
  const finished = selected.filter(isFinished);
  const open = selected.filter((batch) => !isFinished(batch));
  return kind === 'cancel' ? cancelPlan(open, finished) : deletePlan(open, finished);
}

function cancelPlan(open: readonly BatchEntry[], finished: readonly BatchEntry[]): BulkPlan {
  const batches = open.filter(({ state }) => state !== 'cancelling');
  const cancelling = open.length - batches.length;
  const ended = sum(batches, 'accepted') - sum(batches, 'pending');
  return {
    batches,
    does: [
      `${batchesText(batches.length)}: ${formatNumberOf(sum(batches, 'pending'), 'pending item')} will be cancelled`,
    ],
    stays: [
      ...(ended === 0 ? [] : [`${formatNumberOf(ended, 'finished item')} of them stay, with their results`]),
      ...(finished.length === 0 ? [] : [`${batchesText(finished.length)} finished: stay as they are`]),
      ...(cancelling === 0 ? [] : [`${batchesText(cancelling)} being cancelled already`]),
    ],
  };
}

function deletePlan(open: readonly BatchEntry[], finished: readonly BatchEntry[]): BulkPlan {
  const dead = sum(finished, 'dead');
  return {
    batches: finished,
    does: [
      `${batchesText(finished.length)} of ${formatNumberOf(sum(finished, 'accepted'), 'item')} will be deleted, with results, reports and receipts`,
      ...(dead === 0 ? [] : [`${formatNumberOf(dead, 'dead letter')} of them will be deleted, and cannot be redriven`]),
    ],
    stays:
      open.length === 0
        ? []
        : [
            `${batchesText(open.length)} not finished, with ${formatNumberOf(sum(open, 'pending'), 'pending item')}: stay; cancel them first`,
          ],
  };
}

/** Applies the action to one batch, and returns the result as text. Throws ApiError. */
export async function bulkAct(kind: BulkKind, id: string): Promise<string> {
  const path = { id };
  if (kind === 'cancel') return cancelText(await api.json('POST batches/{id}/cancel', { path }));
  const { status } = await api.call('DELETE batches/{id}', { path });
  return status === 204 ? 'deleted' : 'being deleted: it is large, so the sweep completes the deletion';
}

function cancelText({ cancellation: { ended, left } }: CancelAnswer): string {
  const cancelled = `${formatNumberOf(ended.items, 'item')} cancelled`;
  return left.items === 0 ? cancelled : `${cancelled}, ${formatNumberOf(left.items, 'item')} still to be stopped`;
}
