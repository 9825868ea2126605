import { Problem } from '../errors.ts';
import { NOTHING_PUT, type Publish, tryPublish } from '../events/publish.ts';
import { keepsPause, otherPauseText, type PauseWish, pauseBy } from '../pauses.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { type GateDeps, wake } from './gate.ts';
import { presentPause } from './gate-row.ts';
import { changeGate } from './gate-store.ts';

/**
 * Pauses a queue for an operator. No further drain starts, and a running one ends after its wave; wakes are counted. If the
 * pause has an end, a scheduled wake ends it. This wake is published before the gate is written, as for a park: a crash in
 * between costs one empty drain. If the topic is unavailable, the next wake or sweep after the end takes its place.
 */
export async function pauseGate(
  { gate, publish }: { gate: Pick<GateDeps, 'table' | 'now'>; publish: Publish },
  address: QueueAddress,
  wish: PauseWish,
): Promise<void> {
  const { queue } = address;
  const pause = pauseBy(wish, gate.now());
  if (pause.until !== undefined) {
    const at = new Date(pause.until);
    await tryPublish({ queue }, () => publish(address, { type: 'QueueWorkDetected', ...NOTHING_PUT }, { at }));
  }
  await changeGate(gate.table, queue, (row) => {
    const present = presentPause(row, gate.now());
    return present?.by === 'operator' && keepsPause(present, wish) ? undefined : { paused: pause };
  });
}

/**
 * Ends the pause of a queue that began at `since`, whatever its cause, and wakes the queue. Only wakes it if it is not paused.
 * @throws Problem 'conflict' if the queue has another pause.
 */
export async function resumeGate(gate: GateDeps, queue: string, since: string): Promise<void> {
  await changeGate(gate.table, queue, (row) => {
    const present = presentPause(row, gate.now());
    if (present !== undefined && present.since !== since)
      throw new Problem('conflict', otherPauseText(`Queue "${queue}"`, present, since));
    return row.paused === undefined ? undefined : { paused: undefined };
  });
  await wake(gate, queue);
}
