/** The two activities of a drain, created from their dependencies. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DequeuedMessageItem } from '@azure/storage-queue';
import { addOperations } from '../contract/operations.ts';
import { executionOf } from '../cost/executions.ts';
import type { Meter } from '../cost/meter.ts';
import { toError } from '../errors.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Table } from '../storage/table.ts';
import { log } from '../telemetry/log.ts';
import { measureQueue } from '../telemetry/metrics.ts';
import { fence } from '../wake/gate/gate.ts';
import { recordHeartbeat, showFirstWave } from '../wake/gate/heartbeat.ts';
import { type Queue, receive } from '../wake/messages.ts';
import type { QueueAddress, Registry } from '../workload/registry.ts';
import { type FinishWaveDeps, finishWave, releaseUnknownQueue } from './finish-wave.ts';
import { waveSeconds } from './host-limits.ts';
import type { MeasureInstance } from './planning/instance-load.ts';
import type { PlanRecord, TaskWave, Wave } from './planning/plan.ts';
import { summarize } from './planning/wave-summary.ts';
import { runSlice, type SliceEffects } from './slice.ts';
import { emptySlice, type SliceResult, type WorkCounts } from './slice-result.ts';

export interface DequeueInput {
  queue: string;
  generation: number;
  task: string;
  wave: TaskWave;
}
/** `wakes` and the plan belong to the wave that has ended. `abandon`: the error of a drain that cannot continue. */
export interface FinishWaveInput extends PlanRecord {
  queue: string;
  generation: number;
  slices: SliceResult[];
  wakes: number;
  abandon?: string;
}
/** `next` is absent if the drain ends. */
export interface FinishWaveOutput {
  next?: Wave;
}

/** The task that records the plan of its wave in the gate; `drain-queue` numbers the tasks. */
const FIRST_TASK = 't0';

/** Processes the messages of one receive. */
export type Round = (messages: DequeuedMessageItem[], isOver?: () => boolean) => Promise<WorkCounts>;

export interface ActivityDeps extends FinishWaveDeps {
  registry: Registry;
  queues: (name: string) => Queue;
  meter: Pick<Meter, 'measure'>;
  /** Creates the round of a drain for a queue. Called for each slice, so that its caches live as long as the slice. */
  roundFor: (address: QueueAddress, generation: number) => Round;
  limits: Pick<Limiter, 'enter' | 'isStarved'>;
  /** Whether this process is about to end; it receives no more messages then. */
  isEnding: () => boolean;
  measureInstance: MeasureInstance;
}

export interface Activities {
  dequeueBatch: (input: DequeueInput) => Promise<SliceResult>;
  finishWave: (input: FinishWaveInput) => Promise<FinishWaveOutput>;
}

export function createActivities(deps: ActivityDeps): Activities {
  return {
    /** Never throws: a task that fails ends with `fault`, and a later wave receives its messages again. */
    dequeueBatch: async (input) => {
      const beganMs = performance.now();
      const { value, operations, unrecorded } = await deps.meter.measure(() => dequeueOrFail(deps, input));
      const execution = executionOf((performance.now() - beganMs) / 1_000);
      return { ...value, operations, shared: addOperations(unrecorded, execution) };
    },
    finishWave: async ({ queue, generation, slices, wakes, abandon: error, ...planned }) => {
      const address = deps.registry.queue(queue);
      if (!address) {
        log.warn('workload-not-deployed', { queue, generation });
        await releaseUnknownQueue(deps.gate.table, queue, generation);
        return {};
      }
      const abandon = error !== undefined;
      if (abandon) log.error('drain-failed', { queue, generation, error });
      const step = await finishWave(deps, { address, generation, wave: summarize(slices, wakes), planned, abandon });
      if ('next' in step) return { next: step.next };
      log.info('drain-ended', { queue, generation, ended: step.ended });
      return {};
    },
  };
}

async function dequeueOrFail(deps: ActivityDeps, input: DequeueInput): Promise<SliceResult> {
  try {
    return await dequeue(deps, input);
  } catch (error) {
    log.error('slice-failed', { queue: input.queue, task: input.task, error: toError(error) });
    return emptySlice('fault');
  }
}

async function dequeue(
  deps: ActivityDeps,
  { queue: name, generation, task, wave }: DequeueInput,
): Promise<SliceResult> {
  // Reported like a failed receive: another instance tries again, and the queue is parked for 15 s only, since its
  // messages are visible.
  if (deps.isEnding()) return emptySlice('fault');
  const address = deps.registry.queue(name);
  if (!address) return emptySlice('notDeployed');
  const { table, now } = deps.gate;
  const current = await fence(table, name, generation);
  if (!current) return emptySlice('fenced');
  // Also for a drain that is started again, or taken over, during the pause: otherwise its first wave would run.
  if (current.row.paused?.by === 'operator') return emptySlice('paused');
  const untilOf = (tasks: number): number => now() + waveSeconds(deps, { ...wave, tasks }) * 1000;
  const { tasks: active, depth } = wave;
  const isShown =
    task === FIRST_TASK && (await showFirstWave(table, current, { active, depth, until: untilOf(active) }));
  if (isShown) measureQueue(name, depth, active);
  else await recordHeartbeat(table, { queue: name, task, generation, until: untilOf(1) });
  const isLimited = address.kind === 'items';
  const entry = isLimited ? await deps.limits.enter(address) : NO_LIMITS;
  if ('retryAt' in entry) return { ...emptySlice('noShare'), retryAt: entry.retryAt };
  const queue = deps.queues(name);
  const finishMeasure = deps.measureInstance();
  try {
    const effects: SliceEffects<DequeuedMessageItem> = {
      receive: (count) => receive(queue, count, deps.visibilitySeconds),
      process: deps.roundFor(address, generation),
      mayContinue: () => mayContinue(table, { queue: name, generation }),
      // Without a share of the limits, another process should run the items that have not started.
      mustEnd: () => deps.isEnding() || (isLimited && deps.limits.isStarved(address.workload)),
      nowMs: () => performance.now(),
      sleep,
      random: Math.random,
    };
    const { value, responses } = await deps.meter.measure(() => runSlice(wave, effects));
    return { ...value, load: finishMeasure(responses) };
  } finally {
    await entry.leave();
  }
}

const NO_LIMITS = { leave: async () => {} };

/** If the gate cannot be read, the received messages are not run; returning false sends them back to the queue immediately. */
async function mayContinue(
  table: Table,
  { queue, generation }: Pick<DequeueInput, 'queue' | 'generation'>,
): Promise<boolean> {
  try {
    const current = await fence(table, queue, generation);
    return current !== undefined && current.row.paused === undefined;
  } catch (error) {
    log.warn('gate-not-read', { queue, generation, error: toError(error) });
    return false;
  }
}
