/** Why nothing of a batch runs: its place in the queue, and what the queue does or waits for. */

import type { BatchRow } from '../../../batches/batch-row.ts';
import { readBatchesAhead } from '../../../batches/listing/batches-ahead.ts';
import { isAwaited } from '../../../batches/progress/deadline-risk.ts';
import type { Table } from '../../../storage/table.ts';
import { type GateRow, newGate } from '../../../wake/gate/gate-row.ts';
import { readWave } from '../../../wake/gate/wave-record.ts';
import type { QueueAddress, Registry } from '../../../workload/registry.ts';
import { BOUND_TEXT } from '../../queues/bound-text.ts';
import { isLimited } from '../../queues/limits-view.ts';
import type { BatchView } from '../schemas.ts';

/** What is known of the queues of a batch. */
export interface QueuesNow {
  registry: Registry;
  /** By queue; one that was never woken has none. */
  gates: ReadonlyMap<string, GateRow>;
  blocked: BatchView['blocked'];
  /** Service time in milliseconds. */
  nowMs: number;
}

/**
 * Gives why an unfinished batch without progress waits, by one query over the open batches of its workload; undefined, and
 * no query, when it may be running: chunks that take less than ten seconds leave no trace before they are collected.
 */
export async function readWaiting(table: Table, row: BatchRow, now: QueuesNow): Promise<BatchView['waiting']> {
  const queues = queuesOf(row, now);
  const shown = queues.find(({ gate }) => gate.queue === now.blocked?.queue) ?? mostLikely(queues);
  if (shown === undefined || !isWaiting(row, queues, now)) return undefined;
  const { batches, items } = await readBatchesAhead(table, row);
  const nextAt = nextOf(shown.gate, now.nowMs);
  return {
    queue: shown.gate.queue,
    batchesAhead: batches,
    itemsAhead: items,
    ...(nextAt === undefined ? {} : { nextAt }),
    reason: reasonOf(row, shown, now.blocked),
  };
}

interface LaneQueue {
  address: QueueAddress;
  gate: GateRow;
}

const queuesOf = ({ workload, lane }: BatchRow, { registry, gates }: QueuesNow): LaneQueue[] =>
  registry
    .queues()
    .filter((address) => address.workload.name === workload && address.lane === lane && address.kind === 'items')
    .map((address) => ({ address, gate: gates.get(address.queue) ?? newGate(address.queue) }));

/** Chunks are dealt out to all queues of the lane: the deepest one is the last to be empty. */
const mostLikely = (queues: readonly LaneQueue[]): LaneQueue | undefined =>
  [...queues].sort((a, b) => b.gate.depth - a.gate.depth)[0];

/** What is blocked by the queue of its results has run. */
function isWaiting(row: BatchRow, queues: readonly LaneQueue[], { blocked }: QueuesNow): boolean {
  if (!isAwaited(row)) return false;
  if (blocked !== undefined) return queues.some(({ gate }) => gate.queue === blocked.queue);
  return row.state !== 'running' || queues.every(({ gate }) => gate.status === 'idle');
}

/** When the queue is looked at next, as far as that is known and still to come. */
function nextOf({ status, paused, parkedUntil, due }: GateRow, nowMs: number): string | undefined {
  if (paused !== undefined) return paused.probeAt;
  if (status === 'draining') return undefined;
  return [parkedUntil, ...due].find((at) => Date.parse(at) > nowMs);
}

function reasonOf({ state }: BatchRow, { address, gate }: LaneQueue, blocked: BatchView['blocked']): string {
  if (blocked !== undefined) return blocked.reason;
  if (state === 'accepting') return 'its messages are being put into the queue';
  if (gate.status === 'draining') return drainingReason(gate);
  if (gate.parkedUntil === '') return 'no drain runs: the wake-up is under way, or the sweep repairs it';
  const share = isLimited(address) ? ', or no share of the limits of its workload is free' : '';
  return `the messages of the queue are invisible: they wait for a retry, or an instance has received them${share}`;
}

function drainingReason({ active, waves }: GateRow): string {
  const last = waves.at(-1);
  const tasks = `the queue drains with ${active} ${active === 1 ? 'task' : 'tasks'}`;
  return last === undefined
    ? tasks
    : `${tasks}; those of the wave before were bounded by ${BOUND_TEXT[readWave(last).bound]}`;
}
