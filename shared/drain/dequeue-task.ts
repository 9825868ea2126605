/** A dequeue task: works for one slice of time, and ends before the limit of its invocation. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DequeuedMessageItem } from '@azure/storage-queue';
import { responsesSoFar } from '../cost/account.ts';
import { toError } from '../errors.ts';
import { fence } from '../gate/gate.ts';
import { presentPause } from '../gate/gate-row.ts';
import { emptySlice, type SliceResult, type WorkCounts } from '../gate/planning/slice-result.ts';
import type { Limiter } from '../limits/limiter.ts';
import { processClockMs } from '../limits/process-clock.ts';
import { receive } from '../queues/messages.ts';
import type { Services } from '../queues/services.ts';
import { log } from '../telemetry/log.ts';
import { withinTime } from '../time-limit.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { abandonSeconds, beginSeconds, type HostLimits } from './host-limits.ts';
import type { MeasureInstance } from './instance-load.ts';
import { runSlice, type SliceEffects } from './slice.ts';
import type { SliceTime } from './slice-time.ts';
import { type DequeueInput, type HeartbeatDeps, keepShowingAlive, showAlive } from './task-heartbeat.ts';

/** Processes the messages of one receive. By default, the time does not end. */
export type Round = (messages: DequeuedMessageItem[], time?: SliceTime) => Promise<WorkCounts>;

export interface DequeueDeps
  extends HeartbeatDeps,
    HostLimits,
    Pick<Services, 'registry' | 'queues' | 'visibilitySeconds'> {
  /** Creates the round of a queue. Called for each slice, so that its caches live as long as the slice. */
  roundFor: (address: QueueAddress) => Round;
  limits: Pick<Limiter, 'enter' | 'isStarved'>;
  /** Whether this process is about to end; it receives no more messages then. */
  isStopping: () => boolean;
  measureInstance: MeasureInstance;
}

/**
 * Runs a task whose invocation began at `beganMs` of `processClockMs`. Never throws: a task that fails ends with `fault`,
 * and a later wave receives its messages again. So does one whose work does not end in time, because a service does not
 * respond: the work continues with its leases. If the invocation exceeded its limit instead, the platform would end the
 * process, with the work of all its tasks.
 */
export async function dequeue(deps: DequeueDeps, input: DequeueInput, beganMs: number): Promise<SliceResult> {
  try {
    return await withinTime(runTask(deps, input, beganMs), abandonSeconds(deps) * 1_000, 'A slice');
  } catch (error) {
    log.error('slice-failed', { queue: input.queue, task: input.task, error: toError(error) });
    return emptySlice('fault');
  }
}

async function runTask(deps: DequeueDeps, input: DequeueInput, beganMs: number): Promise<SliceResult> {
  // Reported like a failed receive: another instance tries again, and the queue is parked for 15 s only, since its
  // messages are visible.
  if (deps.isStopping()) return emptySlice('fault');
  const { queue, generation } = input;
  const address = deps.registry.queue(queue);
  if (!address) return emptySlice('notDeployed');
  const current = await fence(deps.gate.table, queue, generation);
  if (!current) return emptySlice('fenced');
  // Also for a drain that is started again, or taken over, during the pause: otherwise its first wave would run.
  if (presentPause(current.row, deps.gate.now())?.by === 'operator') return emptySlice('paused');
  await showAlive(deps, input, current);
  const stop = keepShowingAlive(deps, input);
  try {
    return await enterAndRun(deps, input, { address, beganMs });
  } finally {
    stop();
  }
}

async function enterAndRun(
  deps: DequeueDeps,
  { queue: name, generation, wave }: DequeueInput,
  { address, beganMs }: { address: QueueAddress; beganMs: number },
): Promise<SliceResult> {
  const { workload } = address;
  const hasItems = address.kind === 'items';
  const entry = hasItems ? await deps.limits.enter(address) : NO_LIMITS;
  if ('retryAt' in entry) return { ...emptySlice('noShare'), retryAt: entry.retryAt };
  const queue = deps.queues(name);
  const readLoad = deps.measureInstance();
  try {
    const effects: SliceEffects<DequeuedMessageItem> = {
      receive: (count) => receive(queue, count, deps.visibilitySeconds),
      process: deps.roundFor(address),
      mayContinue: () => mayContinue(deps.gate, { queue: name, generation }),
      // Without a share of the limits, another process should run the items that have not started.
      mustEnd: () => deps.isStopping() || (hasItems && deps.limits.isStarved(workload)),
      beginUntilMs: hasItems ? beganMs + beginSeconds(deps, workload) * 1_000 : Number.POSITIVE_INFINITY,
      nowMs: processClockMs,
      sleep,
      random: Math.random,
    };
    // So much time has passed that nothing may begin: as if the services had not responded at all.
    if (processClockMs() >= effects.beginUntilMs) return emptySlice('fault');
    const slice = await runSlice(wave, effects);
    return { ...slice, load: readLoad(responsesSoFar()) };
  } finally {
    await entry.leave();
  }
}

const NO_LIMITS = { leave: async () => {} };

/** If the gate cannot be read, the received messages are not run; returning false sends them back to the queue immediately. */
async function mayContinue(
  { table, now }: DequeueDeps['gate'],
  { queue, generation }: Pick<DequeueInput, 'queue' | 'generation'>,
): Promise<boolean> {
  try {
    const current = await fence(table, queue, generation);
    return current !== undefined && presentPause(current.row, now()) === undefined;
  } catch (error) {
    log.warn('gate-not-read', { queue, generation, error: toError(error) });
    return false;
  }
}
