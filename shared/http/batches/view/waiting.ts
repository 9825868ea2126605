/** Why no chunk of a batch runs: its position in the queue, and the state of the queue. */

import type { BatchRow } from '../../../batches/batch-row.ts';
import { readBatchesAhead } from '../../../batches/listing/batches-ahead.ts';
import { isAwaited } from '../../../batches/progress/deadline-risk.ts';
import { type GateRow, newGate, presentPause } from '../../../gate/gate-row.ts';
import { readWave } from '../../../gate/wave-record.ts';
import { queuesOf } from '../../../queues/queue-of.ts';
import type { Table } from '../../../storage/table.ts';
import { limitOf } from '../../../workload/limit.ts';
import { numberText } from '../../edge/notes.ts';
import { BOUND_TEXT } from '../../queues/queue-notes.ts';
import type { BatchView } from '../schemas.ts';
import type { QueueStates } from './blocked.ts';

type QueuesNow = Pick<QueueStates, 'registry' | 'gates' | 'nowMs'> & Pick<BatchView, 'blocked'>;

/**
 * Returns why an unfinished batch without progress waits, by one query for the open batches of its workload. Returns undefined
 * without a query if the batch may be running: chunks that take less than ten seconds leave no trace before they are
 * collected.
 */
export async function readWaiting(table: Table, row: BatchRow, now: QueuesNow): Promise<BatchView['waiting']> {
  const workload = now.registry.workload(row.workload);
  if (workload === undefined) return undefined;
  const queues = queuesOf(workload, row, row.chunksTotal).map((queue) => now.gates.get(queue) ?? newGate(queue));
  const shown = queues.find(({ queue }) => queue === now.blocked?.queue) ?? mostLikely(queues);
  if (shown === undefined || !isWaiting(row, queues, now)) return undefined;
  const { batches, items } = await readBatchesAhead(table, row);
  return {
    queue: shown.queue,
    batchesAhead: batches,
    itemsAhead: items,
    nextAt: nextOf(shown, now.nowMs),
    reason: now.blocked?.reason ?? reasonOf(row, shown, limitOf(workload) !== undefined),
  };
}

/** Chunks are distributed over all queues of the batch, so the deepest queue will be empty last. */
const mostLikely = (queues: readonly GateRow[]): GateRow | undefined => queues.toSorted((a, b) => b.depth - a.depth)[0];

/** A batch that is blocked by its result queue has already run. */
function isWaiting(row: BatchRow, queues: readonly GateRow[], { blocked }: QueuesNow): boolean {
  if (!isAwaited(row)) return false;
  if (blocked !== undefined) return queues.some(({ queue }) => queue === blocked.queue);
  return row.state !== 'running' || queues.every(({ status }) => status === 'idle');
}

/** The time of the next drain or probe, or of the end of a pause, if it is known and in the future. */
function nextOf(gate: GateRow, nowMs: number): string | undefined {
  const { status, parkedUntil, due } = gate;
  const pause = presentPause(gate, nowMs);
  if (pause?.by === 'operator') return pause.until;
  if (pause?.probeAt !== undefined) return pause.probeAt;
  if (status === 'draining') return undefined;
  return [parkedUntil, ...due].find((at) => Date.parse(at) > nowMs);
}

function reasonOf({ state }: BatchRow, gate: GateRow, isLimited: boolean): string {
  if (state === 'enqueueing') return 'its messages are being put into the queue';
  if (gate.status === 'draining') return drainingReason(gate);
  if (gate.parkedUntil === '') return 'no drain runs: a wake event is on its way, or the sweep repairs it';
  const share = isLimited ? ', or no share of the limits of its workload is free' : '';
  return `the messages of the queue are invisible: they wait for a retry, or an instance has received them${share}`;
}

function drainingReason({ active, waves }: GateRow): string {
  const last = waves.at(-1);
  const tasks = `the queue drains with ${numberText(active, 'task')}`;
  return last === undefined
    ? tasks
    : `${tasks}; the number of tasks in the previous wave was limited by ${BOUND_TEXT[readWave(last).bound]}`;
}
