import type { RegisteredFunction } from '../app/registry.ts';
import { FunctionRefusedError } from '../errors.ts';
import type { Invocation, Invoker } from '../invocation/invoker.ts';
import { invokeWithRetry } from '../invocation/retry.ts';
import type { Listener } from '../listener.ts';
import type { HostLog } from '../log/host-log.ts';
import type { RpcData } from '../worker-protocol.ts';
import { parseSchedule, type Schedule } from './schedule.ts';
import type { TimerLease } from './timer-lease.ts';
import { afterRun, type createTimerStore, planStart, type TimerStart, type TimerStatus } from './timer-status.ts';
import { waitUntil } from './wait.ts';

/** The shared options of timers. */
export interface TimerOptions {
  invoker: Invoker;
  log: HostLog;
  store: ReturnType<typeof createTimerStore>;
  /** Only the instance that holds the lease runs timers. */
  lease: TimerLease;
  inputsOf(fn: RegisteredFunction): { name: string; data: RpcData }[];
}

/** Creates the listener of a timerTrigger. Throws FunctionRefusedError if its schedule is not valid. */
export function createTimerListener(options: TimerOptions, fn: RegisteredFunction, triggerName: string): Listener {
  const binding = fn.metadata.bindings[triggerName];
  const text = binding?.schedule;
  if (typeof text !== 'string')
    throw new FunctionRefusedError(`schedule: expected a string, got ${JSON.stringify(text)}.`);
  const schedule = parseSchedule(text);
  const timer: Timer = {
    ...options,
    fn,
    triggerName,
    schedule,
    monitored: binding?.useMonitor !== false && !schedule.isSubMinute,
    runOnStartup: binding?.runOnStartup === true,
    stopping: new AbortController(),
  };
  let loop: Promise<void> | undefined;
  return {
    start: async () => {
      await timer.lease.join();
      loop = runLoop(timer).finally(timer.lease.leave);
    },
    stop: async () => {
      timer.stopping.abort();
      await loop;
    },
    run: () => fire(timer, undefined, 'This function was programmatically called via the host APIs.'),
  };
}

interface Timer extends TimerOptions {
  fn: RegisteredFunction;
  triggerName: string;
  schedule: Schedule;
  monitored: boolean;
  runOnStartup: boolean;
  stopping: AbortController;
}

async function runLoop(timer: Timer): Promise<void> {
  // Acquiring the lease again, for example after a freeze, does not count as a start of the instance.
  for (let isFirst = true; ; isFirst = false) {
    const term = await timer.lease.acquire(timer.stopping.signal);
    if (term === undefined) return;
    await runAsOwner({ ...timer, runOnStartup: timer.runOnStartup && isFirst }, term);
  }
}

// One loop per timer. A run is awaited before the next wait, so that runs of one timer never overlap.
async function runAsOwner(timer: Timer, term: number): Promise<void> {
  const { schedule, runOnStartup, stopping } = timer;
  const { name } = timer.fn.metadata;
  const stored = timer.monitored ? timer.store.read(name) : undefined;
  const plan = planStart(schedule, stored, { nowMs: Date.now(), runOnStartup });
  let status = plan.status;
  save(timer, status);
  if (plan.runNow) status = await runOnce(timer, status, plan.runNow);
  for (;;) {
    // A monitored timer that missed occurrences because of a slow run runs immediately, but only once. Any other timer skips
    // them.
    const due = timer.monitored ? status.nextMs : schedule.next(Date.now());
    if (!(await waitUntil(due, stopping.signal))) return;
    // After a freeze, another instance may have run this occurrence, even if the lease is free again. The stored status shows
    // it.
    if (!timer.lease.renew(term)) return;
    status = await runOnce(timer, { ...status, nextMs: due });
  }
}

async function runOnce(timer: Timer, status: TimerStatus, unscheduled?: TimerStart['runNow']): Promise<TimerStatus> {
  const startedMs = Date.now();
  const reason = `Timer fired at ${new Date(startedMs).toISOString()}`;
  await fire(timer, { status, isPastDue: unscheduled === 'IsPastDue' }, reason, toDetails(status, unscheduled));
  const next = afterRun(timer.schedule, status, startedMs, unscheduled === undefined);
  save(timer, next);
  return next;
}

function toDetails(status: TimerStatus, unscheduled: TimerStart['runNow']): string | undefined {
  if (unscheduled === undefined) return undefined;
  const original = unscheduled === 'IsPastDue' ? `, OriginalSchedule: ${new Date(status.nextMs).toISOString()}` : '';
  return `UnscheduledInvocationReason: ${unscheduled}${original}`;
}

function save(timer: Timer, status: TimerStatus): void {
  if (timer.monitored) timer.store.write(timer.fn.metadata.name, status);
}

interface Firing {
  status: TimerStatus;
  isPastDue: boolean;
}

async function fire(timer: Timer, firing: Firing | undefined, reason: string, details?: string): Promise<void> {
  const { fn, triggerName, invoker, log, stopping } = timer;
  const data = { json: JSON.stringify(toTimerInfo(timer, firing)) };
  const invocation: Invocation = {
    fn,
    inputs: [{ name: triggerName, data }, ...timer.inputsOf(fn)],
    triggerMetadata: { TimerTrigger: data },
    reason,
    ...(details ? { details } : {}),
  };
  // The invoker logs a failure. It does not stop the timer.
  await invokeWithRetry({ invoker, log, signal: stopping.signal }, invocation).catch(() => undefined);
}

function toTimerInfo({ schedule, monitored }: Timer, firing: Firing | undefined): object {
  const instant = (ms: number | undefined) => (ms === undefined ? '0001-01-01T00:00:00' : new Date(ms).toISOString());
  const status = monitored ? firing?.status : undefined;
  return {
    Schedule: { AdjustForDST: schedule.adjustForDst },
    ScheduleStatus: status
      ? { Last: instant(status.lastMs), Next: instant(status.nextMs), LastUpdated: instant(status.lastUpdatedMs) }
      : null,
    IsPastDue: firing?.isPastDue ?? false,
  };
}
