/** Why the work of a batch cannot continue, by the states of its queues. */
import { type BatchRow, isFinished } from '../../../batches/batch-row.ts';
import { resultsQueueName } from '../../../contract/names.ts';
import { type GateRow, presentPause } from '../../../gate/gate-row.ts';
import { readGates } from '../../../gate/gate-store.ts';
import { type QuotaRow, readQuotas } from '../../../limits/quota-row.ts';
import { type QueueChoice, queuesOf } from '../../../queues/queue-of.ts';
import type { Registry } from '../../../workload/registry.ts';
import type { Reads } from '../../edge/app.ts';
import { timeText } from '../../edge/notes.ts';
import { isLimited, isParked, limitsView } from '../../queues/limits-view.ts';
import type { BatchView } from '../schemas.ts';

export interface QueueStates {
  registry: Registry;
  /** By queue. A queue that was never woken has no gate. */
  gates: ReadonlyMap<string, GateRow>;
  /** By workload; empty unless a queue with limits is parked. */
  quotas: ReadonlyMap<string, QuotaRow>;
  /** Service time in milliseconds. */
  nowMs: number;
}

export type QueueStatesDeps = Pick<Reads, 'gate' | 'registry'>;

/**
 * Reads the states of all queues, or of one workload's: one query, and a second one if a queue with limits is parked, because it
 * may wait for a share of them.
 */
export async function readQueueStates(
  { gate: { table, now }, registry }: QueueStatesDeps,
  workload?: string,
): Promise<QueueStates> {
  const gates = await readGates(table, { prefix: workload === undefined ? '' : `${workload}-` });
  const mayWait = registry.queues().some((address) => {
    const gate = gates.get(address.queue);
    return gate !== undefined && isLimited(address) && isParked(gate);
  });
  return { registry, gates, quotas: mayWait ? await readQuotas(table) : new Map(), nowMs: now() };
}

/** The columns of a batch that determine its queues; chunks are known only of an open batch. */
type Blockable = Pick<BatchRow, 'workload'> & QueueChoice & Partial<Pick<BatchRow, 'chunksTotal'>>;

/** Whether a queue can block a batch in this state: a paused batch waits for its own pause. */
export const canBeBlocked = ({ state }: Pick<BatchRow, 'state'>): boolean => !isFinished(state) && state !== 'paused';

/**
 * Returns why a batch cannot continue: its workload is not deployed, or the first of its queues that is paused, has no share of
 * the limits, or has a drain that cannot be started.
 */
export function blockedOf(batch: Blockable, states: QueueStates): BatchView['blocked'] {
  const workload = states.registry.workload(batch.workload);
  if (workload === undefined) return { reason: `its workload "${batch.workload}" is not deployed in this app` };
  for (const queue of [...queuesOf(workload, batch, batch.chunksTotal ?? 1), resultsQueueName(workload.name)]) {
    const blocked = blockedBy(queue, states);
    if (blocked !== undefined) return blocked;
  }
  return undefined;
}

function blockedBy(queue: string, { registry, gates, quotas, nowMs }: QueueStates): BatchView['blocked'] {
  const [gate, address] = [gates.get(queue), registry.queue(queue)];
  if (gate === undefined || address === undefined) return undefined;
  const pause = presentPause(gate, nowMs);
  if (pause !== undefined) {
    const { by, since, reason, until } = pause;
    const end = until === undefined ? '' : ` until ${timeText(until)}`;
    return { queue, since, reason: `paused by ${by === 'circuit' ? 'the circuit' : 'an operator'}${end}: ${reason}` };
  }
  if (gate.startFailure !== undefined) {
    const { since, error } = gate.startFailure;
    return { queue, since, reason: `its drain cannot be started: ${error}` };
  }
  const quota = quotas.get(address.workload.name);
  const waiting = quota && limitsView(address, { gate, quota, nowMs })?.waiting;
  return waiting
    ? { queue, since: waiting.since, reason: 'no share of the limits of its workload is free' }
    : undefined;
}
