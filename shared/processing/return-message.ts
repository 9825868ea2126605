import { toError } from '../errors.ts';
import type { GateDeps } from '../gate/gate.ts';
import { recordDue } from '../gate/gate-notes.ts';
import type { Entry } from '../queues/messages.ts';
import { log } from '../telemetry/log.ts';
import type { QueueAddress } from '../workload/registry.ts';
import type { Lease } from './lease.ts';

/** Wait before a reference is tried again after a service failed. */
export const FAULT_RETRY_SECONDS = 5;

export interface Return {
  address: Pick<QueueAddress, 'queue'>;
  lease: Lease;
  /** If undefined, the content does not change. */
  content: object | undefined;
  seconds: number;
}

/** Returns a message to its queue. If it is delayed, records when it is visible again, for a parked drain. Never throws. */
export async function returnMessage(
  { gate }: { gate: Pick<GateDeps, 'table' | 'now'> },
  { message }: Entry<unknown>,
  { address, lease, content, seconds }: Return,
): Promise<void> {
  try {
    await lease.returnToQueue(message.messageId, seconds, content);
    if (seconds > 0) await recordDue(gate.table, address.queue, [new Date(gate.now() + seconds * 1000).toISOString()]);
  } catch (error) {
    // Its visibility timeout makes it visible, only later.
    log.warn('message-not-returned', { queue: address.queue, error: toError(error) });
  }
}
