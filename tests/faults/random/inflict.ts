/** Injects the planned faults of whole parts. */
import { fromGateEntity, GATES_PARTITION } from '../../../shared/gate/gate-row.ts';
import { LEASE_MS } from '../harness/settings.ts';
import type { Score } from './checks/score.ts';
import type { StackFault } from './plan.ts';
import type { FaultStack } from './stack.ts';
import type { ActiveRun, Traffic } from './traffic.ts';

/** Injects a fault; resolves when it is over. */
export type Inflict = (stack: FaultStack, run: ActiveRun, fault: StackFault) => Promise<void>;

/**
 * Counts only faults that were injected: a part that already has a fault is skipped. `onBroker` is called when a broker
 * is running again.
 */
export function createInflict(traffic: Traffic, score: Score, onBroker: () => Promise<void>): Inflict {
  const meetsAll = (kind: string): void => {
    score.fault(kind);
    for (const run of traffic.all()) run.faultedAt = Date.now();
  };
  return async (stack, run, { kind, instance, ms }) => {
    switch (kind) {
      case 'killInstance':
        if (await stack.restartInstance(instance, ms, 'kill')) meetsAll('instance killed');
        return;
      case 'drainInstance':
        if (await stack.restartInstance(instance, ms, 'drain')) meetsAll('instance drained');
        return;
      case 'freezeInstance':
        if (await stack.freezeInstance(instance, ms))
          meetsAll(`instance frozen ${ms < LEASE_MS ? 'within' : 'beyond'} its leases`);
        return;
      case 'killTaskHub':
        if (await stack.restart('taskHub', ms, 'kill')) meetsAll('task hub killed');
        return;
      case 'killBroker':
        if (!(await stack.restart('broker', ms, 'kill'))) return;
        await onBroker();
        return meetsAll('broker killed');
      case 'restartStorage':
        if (await stack.restart('azurite', ms, 'stop')) meetsAll('storage restarted');
        return;
      case 'freezeStorage':
        if (await stack.freezeStorage(ms)) meetsAll('storage frozen');
        return;
      case 'cutStorage':
        traffic.cut(ms);
        return meetsAll('storage cut off');
      case 'durableBefore':
      case 'durableAfter':
        stack.failDurable(kind === 'durableBefore' ? 'before' : 'after');
        run.faultedAt = Date.now();
        return score.fault(`durable change ${kind === 'durableBefore' ? 'refused' : 'not answered'}`);
      case 'holdDrain':
        if (!(await holdDrain(stack, run.slot))) return;
        run.faultedAt = Date.now();
        return score.fault('drain held for good');
      case 'stallInvocation':
        // Counted when the process ends.
        return stack.stallInvocation();
      default:
        kind satisfies never;
    }
  };
}

/**
 * Suspends the orchestration that holds the gate: its status is still running, but it never makes progress. Skipped if
 * another fault prevents reading the gate, or if there is no such orchestration yet.
 */
async function holdDrain(stack: FaultStack, slot: string): Promise<boolean> {
  const entity = await stack.gates.getEntity(GATES_PARTITION, `gate:${slot}-normal-0`).catch(() => undefined);
  if (!entity) return false;
  const { row } = fromGateEntity(entity as never);
  if (row.status !== 'draining') return false;
  const url = `${stack.url}/runtime/webhooks/durabletask/instances/${row.instanceId}/suspend`;
  return fetch(url, { method: 'POST', headers: { 'x-functions-key': stack.keys.master } }).then(
    ({ ok }) => ok,
    () => false,
  );
}
