/** Repairs one queue of open batches: finds lost wakes, dead drains, and drains that cannot be started. */

import { DrainStartError } from '../errors.ts';
import { wake } from '../gate/gate.ts';
import { countMissedWake, recordStartFailure } from '../gate/gate-notes.ts';
import { type GateRow, lastSignMs, presentPause } from '../gate/gate-row.ts';
import { readGate } from '../gate/gate-store.ts';
import { isDead } from '../gate/heartbeat.ts';
import { readStoredPolicy } from '../gate/policy-store.ts';
import { log } from '../telemetry/log.ts';
import { countLostWake } from '../telemetry/metrics.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { isOverdue, repaired, type SweepRun } from './sweep-run.ts';

/** Maximum number of messages that are searched for an old one. Source: Microsoft Learn, peek-messages. */
const PEEKED = 32;

export async function repairQueue(run: SweepRun, address: QueueAddress): Promise<void> {
  const { row: gate } = await readGate(run.gate.table, address.queue);
  // A wake of this sweep could not be published: the queue is woken here, in any state of the gate.
  if (run.unpublishedWakes.has(address.queue)) return wakeQueue(run, address.queue);
  if (gate.status === 'draining') return repairDrain(run, gate);
  if (presentPause(gate, run.gate.now())?.by === 'operator') return;
  const depth = await forgottenDepth(run, gate);
  if (depth === 0) return;
  if (await isBelowNotifyFrom(run, gate, depth)) {
    run.counts.wokenByTimer += 1;
    log.info('woken-by-timer', { queue: address.queue, depth });
    return wakeQueue(run, address.queue);
  }
  await countMissedWake(run.gate, address.queue);
  countLostWake(address.queue);
  repaired(run, 'missedWakes', { event: 'missed-wake', queue: address.queue, generation: gate.generation });
  await wakeQueue(run, address.queue);
}

async function repairDrain(run: SweepRun, gate: GateRow): Promise<void> {
  // A drain without a heartbeat may still be starting, or its start was lost. A drain that failed before its first
  // heartbeat is dead immediately.
  const isUnstarted = gate.aliveUntil === '' && isOverdue(run, lastSignMs(gate), 'wakeMs');
  if (isUnstarted || (await isDead(run.gate, gate))) await wakeQueue(run, gate.queue);
}

/** Returns the depth of a queue with an idle gate and a visible message that has waited too long; 0 without such a message. */
async function forgottenDepth(run: SweepRun, gate: GateRow): Promise<number> {
  if (gate.parkedUntil !== '' && !isOverdue(run, Date.parse(gate.parkedUntil), 'wakeMs')) return 0;
  const depth = await run.depthOf(gate.queue);
  return depth > 0 && isOverdue(run, await oldestPutMs(run, gate.queue), 'wakeMs') ? depth : 0;
}

/** Whether, by the queue's policy, uploads did not have to publish a wake event yet: then no wake was lost. */
async function isBelowNotifyFrom(run: SweepRun, gate: GateRow, depth: number): Promise<boolean> {
  const policy = (await readStoredPolicy(run.gate.table, gate))?.policy;
  return policy?.notifyFrom !== undefined && depth < policy.notifyFrom;
}

/** Returns when the oldest of the peeked messages was put; the current time if there is none. */
async function oldestPutMs(run: SweepRun, queue: string): Promise<number> {
  const { peekedMessageItems } = await run.queues(queue).peekMessages({ numberOfMessages: PEEKED });
  return Math.min(run.gate.now(), ...peekedMessageItems.map(({ insertedOn }) => insertedOn.getTime()));
}

/** Wakes a queue, and reports a drain that cannot be started: its work waits for the next wake or sweep. */
async function wakeQueue(run: SweepRun, queue: string): Promise<void> {
  let failed: { gate: GateRow; error: DrainStartError } | undefined;
  const start = async (gate: GateRow): Promise<void> => {
    failed = undefined;
    try {
      await run.gate.start(gate);
    } catch (error) {
      // Other errors of a start (measuring the depth, reading the policy) fail this part of the sweep as usual.
      if (!(error instanceof DrainStartError)) throw error;
      failed = { gate, error };
    }
  };
  const result = await wake({ ...run.gate, start }, queue);
  if (failed) return reportStartFailure(run, failed.gate, failed.error);
  if (result === 'takenOver') repaired(run, 'takenOver', { event: 'gate-taken-over', queue });
  if (result === 'restarted') repaired(run, 'restarted', { event: 'drain-restarted', queue });
}

/** `waitingSeconds` is how long the oldest visible message has waited, or how long starts have failed if that is longer. */
async function reportStartFailure(
  run: SweepRun,
  { queue, generation }: GateRow,
  error: DrainStartError,
): Promise<void> {
  const sinceMs = await recordStartFailure(run.gate, { queue, generation }, error);
  if (sinceMs === undefined) return;
  // The alert must not depend on a queue that cannot be read at the moment.
  const oldestMs = await oldestPutMs(run, queue).catch(() => sinceMs);
  const waitingMs = run.gate.now() - Math.min(sinceMs, oldestMs);
  run.counts.startFailed += 1;
  log.error('drain-start-failed', { queue, generation, waitingSeconds: Math.round(waitingMs / 1000), error });
}
