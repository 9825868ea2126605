import { log } from '../telemetry/log.ts';
import { acquireForSweep } from '../wake/gate.ts';
import type { GateRow } from '../wake/gate-row.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { isOver, repaired, type SweepRun } from './run.ts';

/** Slices that the first heartbeat covers; the end of each wave sets a new one. */
const FIRST_HEARTBEAT_SLICES = 3;

/**
 * Drains a queue without an orchestration, for as long as the sweep may run: slice, finish-wave, slice. It holds the
 * gate as any drain does, fenced and with heartbeats, so that a wake which can start orchestrations again finds it in
 * order.
 */
export async function drainDirectly(run: SweepRun, address: QueueAddress, unstarted: GateRow): Promise<void> {
  const { queue } = address;
  // A gate that is taken counts its wakes from none.
  const first = await run.plan(
    address,
    { ...unstarted, taskLimit: 1, wakes: 0 },
    Math.max(1, await run.depthOf(queue)),
  );
  const aliveUntilMs = run.gate.now() + first.sliceSeconds * 1000 * FIRST_HEARTBEAT_SLICES;
  const gate = await acquireForSweep(run.gate, queue, { generation: unstarted.generation, aliveUntilMs });
  if (!gate) return;
  const { generation } = gate;
  log.warn('sweep-drains', { queue, generation });
  for (let wave = first; ; ) {
    const slice = await run.activities.dequeueBatch({ queue, generation, task: 'sweep', wave });
    repaired(run, 'slices', { event: 'sweep-slice', queue, generation, received: slice.received, done: slice.done });
    const ended = { queue, generation, slices: [slice], wakes: wave.wakes, abandon: isOver(run) };
    const { next } = await run.activities.finishWave(ended);
    if (!next) return;
    wave = { ...next, tasks: 1 };
  }
}
