/** The real gate, fence and `finish-wave` as programs of the explorer; a mutant replaces one of the parts. */

import { z } from 'zod';
import type { DrainInput } from '../../../shared/drain/drain-queue.ts';
import { createGateDeps, type DrainClient } from '../../../shared/drain/drains.ts';
import { Problem } from '../../../shared/errors.ts';
import type { Publish } from '../../../shared/events/publish.ts';
import { type FinishWaveDeps, finishWave } from '../../../shared/gate/finish-wave.ts';
import { fence, type GateDeps, wake } from '../../../shared/gate/gate.ts';
import { presentPause } from '../../../shared/gate/gate-row.ts';
import { readGate } from '../../../shared/gate/gate-store.ts';
import { recordHeartbeat, showFirstWave, waveSeconds } from '../../../shared/gate/heartbeat.ts';
import { pauseGate, resumeGate } from '../../../shared/gate/pause.ts';
import type { Wave } from '../../../shared/gate/planning/plan.ts';
import { emptyCounts, type SliceResult } from '../../../shared/gate/planning/slice-result.ts';
import { summarize } from '../../../shared/gate/planning/wave-summary.ts';
import type { Table } from '../../../shared/storage/table.ts';
import { repairQueue } from '../../../shared/sweep/repair-queue.ts';
import { DEFAULT_PATIENCE, noCounts, type SweepRun } from '../../../shared/sweep/sweep-run.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { createRegistry, type QueueAddress } from '../../../shared/workload/registry.ts';
import type { Asker, Program } from '../explorer/programs.ts';
import { tableOf } from '../explorer/table-stub.ts';

const workload = defineWorkload({ name: 'w', version: 1, item: z.unknown(), map: (item) => item, lanes: ['n'] });
const registry = createRegistry([workload]);
export const QUEUE = 'w-n-0';
const address = registry.queue(QUEUE) as QueueAddress;

/** One task that receives one message: two messages need two waves. */
const WAVE: Wave = { depth: 1, wakes: 0, tasks: 1, quota: 1, receive: 1, sliceSeconds: 30, probe: false };
export const VISIBILITY_SECONDS = 300;
const LIMITS = { concurrentActivities: 2, activityVisibilitySeconds: 60, functionSeconds: 600 };

const plan: FinishWaveDeps['plan'] = async (_address, { wakes }) => ({ ...WAVE, wakes });

/** The parts that a mutant may replace. */
export interface Parts {
  table: (asker: Asker) => Table;
  publisher: (asker: Asker, wakeItself: () => Promise<unknown>) => Promise<unknown>;
  wake: (deps: GateDeps, asker: Asker) => Promise<unknown>;
  /** An operator or a deployment pauses the queue for a minute. */
  pause: typeof pauseGate;
  /** A deployment ends its pause. */
  resume: typeof resumeGate;
  /** The action of the sweep for a queue that must be woken. */
  sweep: (deps: GateDeps) => Promise<unknown>;
  fence: typeof fence;
  finishWave: (
    deps: FinishWaveDeps,
    input: Parameters<typeof finishWave>[1],
    asker: Asker,
  ) => ReturnType<typeof finishWave>;
}

export const REAL: Parts = {
  table: tableOf,
  publisher: async ({ ask }, wakeItself) => {
    await ask('put');
    try {
      await ask('publish');
    } catch {
      await wakeItself();
    }
  },
  wake: (deps) => wake(deps, QUEUE),
  pause: pauseGate,
  resume: resumeGate,
  sweep: (deps) => repairQueue(sweepRun(deps), address),
  fence,
  finishWave,
};

/** A sweep that wakes the queue in any state of its gate. */
const sweepRun = (gate: GateDeps): SweepRun => {
  const run: Partial<SweepRun> = {
    // As in the sweep: a runtime that returns no status does not prove that the drain is running.
    gate: { ...gate, status: (id) => gate.status(id).catch(() => 'Suspended') },
    unpublishedWakes: new Set([QUEUE]),
    queues: () => ({ peekMessages: async () => ({ peekedMessageItems: [] }) }) as never,
    counts: noCounts(),
    patient: DEFAULT_PATIENCE,
  };
  return run as SweepRun;
};

export interface SliceInput {
  generation: number;
  /** The gate's wake count when the wave was planned. */
  wakes: number;
}
export interface FinishActorInput extends SliceInput {
  slice: SliceResult;
  abandon?: boolean;
}

/** The reason of a pause by a deployment; that of an operator has none. */
export const DEPLOYMENT = 'deployment';

/** Pauses the queue unless an operator has, and ends the pause if it is still the present one. */
async function deployment(parts: Parts, asker: Asker, gate: GateDeps): Promise<void> {
  const wish = { reason: DEPLOYMENT, forSeconds: 60, unlessPaused: true };
  // A millisecond later than operators: the time of a pause is its name, and the model's clock stands still.
  await parts.pause({ gate: { ...gate, now: () => asker.now() + 1 }, publish: publishOf(asker) }, address, wish);
  const { row } = await readGate(gate.table, QUEUE);
  const pause = presentPause(row, asker.now());
  if (pause?.reason !== DEPLOYMENT) return;
  await parts.resume(gate, QUEUE, pause.since).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.type !== 'conflict') throw error;
  });
}

/** The programs of one exploration. */
export function gatePrograms(parts: Parts): Record<string, Program> {
  const gateDeps = (asker: Asker): GateDeps =>
    createGateDeps(
      { gate: { table: parts.table(asker), now: asker.now }, registry, depthOf: async () => 1, plan },
      drainClient(asker),
    );
  return {
    publisher: (asker) => parts.publisher(asker, () => parts.wake(gateDeps(asker), asker)),
    operator: (asker) =>
      parts.pause({ gate: { table: parts.table(asker), now: asker.now }, publish: publishOf(asker) }, address, {
        forSeconds: 60,
      }),
    deployment: (asker) => deployment(parts, asker, gateDeps(asker)),
    waker: (asker) => parts.wake(gateDeps(asker), asker),
    sweeper: (asker) => parts.sweep(gateDeps(asker)),
    slice: (asker, input: SliceInput) => slice(parts, asker, input),
    finishWave: (asker, { generation, wakes, slice: done, abandon = false }: FinishActorInput) =>
      parts.finishWave(
        finishWaveDeps(parts, asker),
        { address, generation, wave: summarize([done], wakes), abandon },
        asker,
      ),
  };
}

const publishOf =
  (asker: Asker): Publish =>
  async (_address, { type }, options = {}) => {
    if (type === 'QueueWorkDetected') await asker.ask('publish', options.at?.getTime());
  };

function drainClient({ ask }: Asker): DrainClient {
  const client = {
    startNew: (_name: string, { instanceId, input }: { instanceId: string; input: DrainInput }) =>
      ask('startNew', instanceId, input.generation, input.wave.wakes),
    getStatus: async (instanceId: string) => {
      const runtimeStatus = await ask('getStatus', instanceId);
      if (runtimeStatus === null) throw new Error('The operation failed with an unexpected status: HTTP 404');
      return { runtimeStatus };
    },
  };
  return client as unknown as DrainClient;
}

/**
 * A dequeue task that receives one message. Its effects on gate and queue are those of the real task, in the same
 * order.
 */
async function slice(parts: Parts, asker: Asker, { generation }: SliceInput): Promise<SliceResult> {
  const ended = (end: SliceResult['ended'], counts: Partial<SliceResult> = {}): SliceResult => ({
    ...emptyCounts(),
    seconds: 1,
    ended: end,
    ...counts,
  });
  const table = parts.table(asker);
  const current = await parts.fence(table, QUEUE, generation);
  if (!current) return ended('fenced');
  if (presentPause(current.row, asker.now())?.by === 'operator') return ended('paused');
  const until = asker.now() + waveSeconds(LIMITS, WAVE) * 1000;
  const isShown = await showFirstWave(table, current, { active: WAVE.tasks, depth: WAVE.depth, until });
  if (!isShown) await recordHeartbeat(table, { queue: QUEUE, task: 't0', generation, until });
  const received = (await asker.ask('receive')) as { message: number; outage: boolean } | null;
  if (received === null) return ended('empty');
  if (received.outage) return ended('tripped', { received: 1, ran: 20, failures: 20 });
  await asker.ask('delete', received.message);
  return ended('quotaReached', { received: 1, done: 1, items: 1, ran: 1 });
}

const finishWaveDeps = (parts: Parts, asker: Asker): FinishWaveDeps => ({
  gate: { table: parts.table(asker), now: asker.now },
  depthOf: async () => Number(await asker.ask('depth')),
  publish: publishOf(asker),
  plan,
  visibilitySeconds: VISIBILITY_SECONDS,
  ...LIMITS,
});
