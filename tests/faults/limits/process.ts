/** A process in virtual time: the real limiter, tasks that enter and leave, and threads that take permits and make calls. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createLimiter, type Limiter } from '../../../shared/limits/limiter.ts';
import { end, take } from '../../../shared/limits/permits.ts';
import type { Table } from '../../../shared/storage/table.ts';
import type { Workload } from '../../../shared/workload/define.ts';
import type { TimedCall } from '../../helpers/rates.ts';
import type { Owner, VirtualTime } from './virtual-time.ts';

/** What the parts of a simulated world share. */
export interface World {
  time: VirtualTime;
  random: () => number;
  workload: Workload;
  /** What the other side has counted. */
  calls: TimedCall[];
  /** The table of the gates, as a process reaches it. */
  tableOf: (process: Owner) => Table;
}

export interface ProcessPlan {
  id: string;
  /** How far its service time is ahead of the service's, in milliseconds. */
  offsetMs: number;
  startMs: number;
  /** When it ends as on scale-in. */
  endMs?: number;
  diesMs?: number;
  frozen?: { atMs: number; forMs: number };
  /** How long a call takes. */
  latencyMs: number;
  /** Dequeue tasks at a time. */
  tasks: number;
}

/** How often a thread without a permit looks again. */
const POLL_MS = 10;
/** Between the taking of a permit and the arrival at the other side. */
const MOST_ON_THE_WAY_MS = 30;
const SLICE_MS = { least: 2_000, most: 30_000 };
const BETWEEN_SLICES_MS = 300;
/** A parked queue is woken a little late. */
const WAKE_MS = 500;
/** Service time at the beginning. */
export const START_MS = Date.UTC(2026, 0);

/** Timers of the app's code have no name for their process: the context in which they were set has. */
const owners = new AsyncLocalStorage<Owner>();

/** What stands for `setInterval` and `clearInterval` in a simulated world. */
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

/** Plans the life of a process. */
export function planProcess(world: World, plan: ProcessPlan): void {
  const { time, workload } = world;
  const owner: Owner = { stillUntilMs: 0 };
  const limiter = createLimiter({
    table: world.tableOf(owner),
    now: () => START_MS + Math.floor(time.nowMs + plan.offsetMs),
    clockMs: () => time.nowMs,
    id: plan.id,
    callsInFlight: () => workload.concurrency,
  });
  let isEnding = false;
  for (let task = 0; task < plan.tasks; task += 1) {
    const begin = (): void => {
      time.settled();
      owners.run(owner, () => void runTask(world, { plan, owner, limiter, isOver: () => isEnding }));
    };
    time.after(plan.startMs + world.random() * 1_000, begin, owner);
  }
  const { endMs, diesMs, frozen } = plan;
  if (endMs !== undefined) {
    const close = (): void => {
      isEnding = true;
      time.settled();
      owners.run(owner, () => void limiter.close());
    };
    time.after(endMs, close, owner);
  }
  if (frozen)
    time.after(frozen.atMs, () => {
      owner.stillUntilMs = Math.max(owner.stillUntilMs, time.nowMs + frozen.forMs);
    });
  if (diesMs !== undefined)
    time.after(diesMs, () => {
      owner.stillUntilMs = Number.POSITIVE_INFINITY;
    });
}

interface Running {
  plan: ProcessPlan;
  owner: Owner;
  limiter: Limiter;
  isOver: () => boolean;
}

/** A dequeue task after another, as long as the process lives: there is always work. */
async function runTask(world: World, running: Running): Promise<void> {
  const { time, random, workload } = world;
  const { plan, owner, limiter, isOver } = running;
  while (!isOver()) {
    const entry = await limiter.enter(workload).catch(() => undefined);
    if (entry === undefined) {
      await time.sleep(1_000, owner);
    } else if ('retryAt' in entry) {
      const waitMs = entry.retryAt - START_MS - time.nowMs - plan.offsetMs;
      await time.sleep(Math.max(0, waitMs) + random() * WAKE_MS, owner);
    } else {
      const sliceMs = SLICE_MS.least + random() * (SLICE_MS.most - SLICE_MS.least);
      await work(world, running, time.nowMs + sliceMs);
      entry.leave();
      await time.sleep(random() * BETWEEN_SLICES_MS, owner);
    }
  }
}

/** Calls, as many as the permits allow, until the time is over or the share is lost. */
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
          end(permits, items);
        };
        time.after(plan.latencyMs, () => {
          call.endMs = time.nowMs;
          time.after(0, done, owner);
        });
      };
      // A process that stops or dies meanwhile may have sent it, or not.
      time.after(random() * MOST_ON_THE_WAY_MS, arrive, random() < 0.5 ? owner : undefined);
    }
    await time.sleep(POLL_MS, owner);
  }
}
