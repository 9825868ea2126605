/**
 * A process in virtual time: the real limiter, tasks that enter and leave, and threads that request permits and make
 * calls.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createLimiter, type Limiter } from '../../../shared/limits/limiter.ts';
import { endCall, take } from '../../../shared/limits/permits.ts';
import type { Table } from '../../../shared/storage/table.ts';
import type { Workload } from '../../../shared/workload/define.ts';
import type { TimedCall } from '../../helpers/servers/rates.ts';
import type { Owner, VirtualTime } from './virtual-time.ts';

/** The shared parts of a simulated world. */
export interface World {
  time: VirtualTime;
  random: () => number;
  workload: Workload;
  /** The calls as counted by the called service. */
  calls: TimedCall[];
  /** The table of the gates, as a process reaches it. */
  tableOf: (process: Owner, plan: ProcessPlan) => Table;
}

export interface ProcessPlan {
  id: string;
  /** Milliseconds by which its service time is ahead of the service's. */
  offsetMs: number;
  startMs: number;
  /** When it ends as on scale-in. */
  endMs?: number;
  diesMs?: number;
  /** When it is frozen: SIGSTOP, then SIGCONT. */
  frozen?: { atMs: number; forMs: number };
  /** When it cannot reach the table. */
  cutOff?: { atMs: number; forMs: number };
  /** Duration of a call. */
  latencyMs: number;
}

/** Interval at which a thread without a permit checks again. */
const POLL_MS = 10;
/** Between the permit and the arrival at the called service. */
const MAX_ON_THE_WAY_MS = 30;
const SLICE_MS = { least: 2_000, most: 30_000 };
const FAULT_RETRY_MS = 1_000;
/** Service time at the beginning. */
export const START_MS = Date.UTC(2026, 0);

/** Timers of the app's code do not identify their process, but the asynchronous context in which they were set does. */
const owners = new AsyncLocalStorage<Owner>();

/** Replaces `setInterval` and `clearInterval` in a simulated world. */
export function virtualIntervals(time: VirtualTime): {
  setInterval: (act: () => void, everyMs: number) => { unref: () => unknown };
  clearInterval: (timer: unknown) => void;
} {
  const going = new Set<unknown>();
  return {
    setInterval: (act, everyMs) => {
      const owner = owners.getStore();
      const timer = { unref: () => timer };
      const tick = (): void => {
        if (!going.has(timer)) return;
        time.settled();
        owners.run(owner as Owner, act);
        time.after(everyMs, tick, owner);
      };
      going.add(timer);
      time.after(everyMs, tick, owner);
      return timer;
    },
    clearInterval: (timer) => void going.delete(timer),
  };
}

/** A process as the drains see it. */
export interface Process {
  /** Whether it is given tasks. */
  isUp: () => boolean;
  /** Runs a dequeue task of a queue; returns when to retry if there was no share. */
  runTask: (queue: string) => Promise<{ retryAt: number | undefined }>;
}

/** Plans the life of a process. */
export function planProcess(world: World, plan: ProcessPlan): Process {
  const { time, workload } = world;
  const owner: Owner = { stillUntilMs: 0 };
  const limiter = createLimiter({
    table: world.tableOf(owner, plan),
    now: () => START_MS + Math.floor(time.nowMs + plan.offsetMs),
    clockMs: () => time.nowMs,
    id: plan.id,
    callsInFlight: () => workload.concurrency,
  });
  const { startMs, endMs = Number.POSITIVE_INFINITY, diesMs = Number.POSITIVE_INFINITY, frozen } = plan;
  const isOver = (): boolean => time.nowMs >= endMs;
  const plans: [atMs: number | undefined, act: () => void][] = [
    [frozen?.atMs, () => (owner.stillUntilMs = Math.max(owner.stillUntilMs, time.nowMs + (frozen?.forMs ?? 0)))],
    [plan.diesMs, () => (owner.stillUntilMs = Number.POSITIVE_INFINITY)],
  ];
  for (const [atMs, act] of plans) if (atMs !== undefined) time.after(atMs, act);
  const close = (): void => {
    time.settled();
    owners.run(owner, () => void limiter.close());
  };
  if (plan.endMs !== undefined) time.after(plan.endMs, close, owner);
  return {
    isUp: () => time.nowMs >= startMs && time.nowMs < Math.min(endMs, diesMs),
    runTask: (queue) => owners.run(owner, () => runTask(world, { plan, owner, limiter, isOver }, queue)),
  };
}

interface Running {
  plan: ProcessPlan;
  owner: Owner;
  limiter: Limiter;
  /** Whether the process must end. */
  isOver: () => boolean;
}

async function runTask(world: World, running: Running, queue: string): Promise<{ retryAt: number | undefined }> {
  const { time, random, workload } = world;
  const { plan, owner, limiter } = running;
  // A task that encounters a fault ends, and its queue is parked for a second.
  const failed = { retryAt: START_MS + time.nowMs + FAULT_RETRY_MS };
  const entry = await limiter.enter({ queue, workload }).catch(() => failed);
  if ('retryAt' in entry) return { retryAt: entry.retryAt - START_MS - plan.offsetMs };
  const sliceMs = SLICE_MS.least + random() * (SLICE_MS.most - SLICE_MS.least);
  await work(world, running, time.nowMs + sliceMs);
  await entry.leave();
  await time.sleep(0, owner);
  return { retryAt: undefined };
}
/** Makes the permitted calls until the time is over or the share is lost. */
async function work(world: World, { plan, owner, limiter, isOver }: Running, untilMs: number): Promise<void> {
  const { time, random, workload, calls } = world;
  const permits = limiter.permitsOf(workload);
  if (!permits) throw new Error('The workload has no limits.');
  const items = workload.map === undefined ? workload.group.maxItems : 1;
  let inFlight = 0;
  while (!isOver() && time.nowMs < untilMs && !limiter.isStarved(workload)) {
    while (inFlight < workload.concurrency && take(permits, items, time.nowMs)) {
      inFlight += 1;
      const arrive = (): void => {
        const call: TimedCall = { atMs: time.nowMs, items };
        calls.push(call);
        const done = (): void => {
          inFlight -= 1;
          endCall(permits, items);
        };
        time.after(plan.latencyMs, () => {
          call.endMs = time.nowMs;
          time.after(0, done, owner);
        });
      };
      // A process that freezes or dies in the meantime may or may not have sent the call.
      time.after(random() * MAX_ON_THE_WAY_MS, arrive, random() < 0.5 ? owner : undefined);
    }
    await time.sleep(POLL_MS, owner);
  }
  // A chunk ends with its last call.
  while (inFlight > 0) await time.sleep(POLL_MS, owner);
}
