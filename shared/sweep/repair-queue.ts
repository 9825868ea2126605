/** What a sweep does for one queue of open batches: it finds wakes that were lost, and drains that are dead. */
import { readEntity } from '../storage/table.ts';
import { log } from '../telemetry/log.ts';
import { countLostWake } from '../telemetry/metrics.ts';
import { countMissedWake, isDead, wake } from '../wake/gate.ts';
import { fromGateEntity, GATES_PARTITION, type GateRow, gateRowKey, newGate } from '../wake/gate-row.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { drainDirectly } from './direct-drain.ts';
import { isOverdue, repaired, type SweepRun } from './run.ts';

/** Messages that are looked at to find an old one (learn: peek-messages). */
const PEEKED = 32;

/** Looks after one queue. */
export async function repairQueue(run: SweepRun, address: QueueAddress): Promise<void> {
  const entity = await readEntity(run.gate.table, GATES_PARTITION, gateRowKey(address.queue));
  const gate = entity ? fromGateEntity(entity).row : newGate(address.queue);
  // A wake of this sweep that could not be published: it is given here, whatever the gate looks like.
  if (run.unheard.has(address.queue)) return wakeOrDrain(run, address);
  if (gate.status === 'draining') return repairDrain(run, address, gate);
  if (gate.paused?.by === 'operator') return;
  if (!(await isForgotten(run, gate))) return;
  await countMissedWake(run.gate.table, address.queue);
  countLostWake(address.queue);
  repaired(run, 'missedWakes', { event: 'missed-wake', queue: address.queue, generation: gate.generation });
  await wakeOrDrain(run, address);
}

async function repairDrain(run: SweepRun, address: QueueAddress, gate: GateRow): Promise<void> {
  // One that never sent a heartbeat may be starting still, or its start was lost; one that failed before its first
  // heartbeat is dead now.
  const isUnstarted = gate.aliveUntil === '' && isOverdue(run, Date.parse(gate.acquiredAt), 'wakeMs');
  if (isUnstarted || (await isDead(run.gate, gate))) await wakeOrDrain(run, address);
}

/** An idle gate over a message that somebody should have been told of: one that is visible, and has been for long. */
async function isForgotten(run: SweepRun, gate: GateRow): Promise<boolean> {
  if (gate.parkedUntil !== '' && !isOverdue(run, Date.parse(gate.parkedUntil), 'wakeMs')) return false;
  if ((await run.depthOf(gate.queue)) === 0) return false;
  const { peekedMessageItems } = await run.queues(gate.queue).peekMessages({ numberOfMessages: PEEKED });
  return peekedMessageItems.some(({ insertedOn }) => isOverdue(run, insertedOn.getTime(), 'wakeMs'));
}

/** Wakes a queue; where its orchestration cannot be started, the sweep is the drain. */
async function wakeOrDrain(run: SweepRun, address: QueueAddress): Promise<void> {
  let unstarted: GateRow | undefined;
  const start = async (gate: GateRow): Promise<void> => {
    unstarted = undefined;
    try {
      await run.gate.start(gate);
    } catch (error) {
      log.error('drain-not-started', { queue: gate.queue, generation: gate.generation, error });
      unstarted = gate;
    }
  };
  const result = await wake({ ...run.gate, start }, address.queue);
  if (result === 'takenOver') repaired(run, 'takenOver', { event: 'gate-taken-over', queue: address.queue });
  if (result === 'restarted') repaired(run, 'restarted', { event: 'drain-restarted', queue: address.queue });
  if (unstarted) await drainDirectly(run, address, unstarted);
}
