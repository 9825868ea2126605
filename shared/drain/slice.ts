import { isUndecided, trips } from '../gate/circuit.ts';
import type { TaskWave } from '../gate/planning/plan.ts';
import { emptyCounts, type SliceResult, type WorkCounts } from '../gate/planning/slice-result.ts';
import { addCounts } from '../gate/planning/wave-summary.ts';
import { backoffMs, MAX_IDLE_MS } from './backoff.ts';
import { createLoneTask } from './lone-task.ts';
import { createSliceTime, OVER, type SliceTime } from './slice-time.ts';

/** Longest single sleep while waiting for the next receive, so that it does not delay a process that is about to end. */
const STEP_MS = 1_000;

/** The side effects of a slice, passed as functions so that the loop itself is easy to read and test. */
export interface SliceEffects<Message> {
  receive: (count: number) => Promise<Message[]>;
  /** Messages that have not started when the slice is over are returned to the queue. */
  process: (messages: Message[], time: SliceTime) => Promise<WorkCounts>;
  /** Whether the drain still holds the gate and the queue is not paused; called only for messages beyond the quota. */
  mayContinue: () => Promise<boolean>;
  /** Whether the slice must end early: the process is about to end, or has no share of the limits. */
  mustEnd: () => boolean;
  beginUntilMs: number;
  nowMs: () => number;
  sleep: (ms: number) => Promise<void>;
  random: () => number;
}

/**
 * The loop of a dequeue task: receives and processes until its quota is reached, its time is up, the queue stays empty
 * (back-off up to its maximum), the circuit trips, or no worker thread starts. The only task of a wave may continue
 * beyond its quota (lone-task.ts). If the queue was paused in the meantime, it returns those messages. It also waits
 * for the policy's interval after the last receive of a quota, since the next wave receives immediately.
 */
export async function runSlice<Message>(wave: TaskWave, effects: SliceEffects<Message>): Promise<SliceResult> {
  const { nowMs, random, mustEnd, beginUntilMs } = effects;
  const lone = createLoneTask(wave, nowMs);
  const start = nowMs();
  let total = emptyCounts();
  let idleCount = 0;
  let sleptMs = 0;
  let receiveMs = start;
  const sleep = async (ms: number): Promise<void> => {
    const before = nowMs();
    await effects.sleep(ms);
    sleptMs += nowMs() - before;
  };
  const result = (ended: SliceResult['ended']): SliceResult => ({
    ...total,
    ended,
    seconds: (nowMs() - start - sleptMs) / 1000,
  });
  const time = createSliceTime({ endMs: start + wave.sliceSeconds * 1000, beginUntilMs, mustEnd, nowMs });
  /** Waits until `ms` after the last receive, or for the policy's interval if that is longer, but not beyond the slice. */
  const pace = async (ms: number): Promise<void> => {
    const untilMs = receiveMs + Math.max(ms, wave.receiveIntervalMs ?? 0);
    while (nowMs() < untilMs && !time.isOver()) await sleep(Math.min(untilMs - nowMs(), STEP_MS, time.waitMs()));
  };
  const backOff = (idleCount: number): number | 'end' => {
    const delay = backoffMs(idleCount, random());
    return delay >= MAX_IDLE_MS ? 'end' : delay;
  };
  let lastDone = 0;
  // A probe continues with the next reference, also after chunks that ended without being run because their batch is
  // cancelled. If a reference could not be finished, the next one would most likely fail in the same way.
  const continuesProbe = (): boolean => wave.probe === true && lastDone > 0 && isUndecided(total);
  const isQuotaReached = (): boolean => total.received >= wave.quota && !continuesProbe();
  while (!isQuotaReached() || lone.mayStay()) {
    if (time.isOver()) return result('timeUp');
    const isExtra = isQuotaReached();
    receiveMs = nowMs();
    const count = wave.tasks === 1 ? wave.receive : Math.min(wave.receive, wave.quota - total.received);
    const messages = await effects.receive(count);
    lone.recordReceive(messages.length, count);
    if (messages.length > 0) {
      idleCount = 0;
      const mustReturn = isExtra && !(await effects.mayContinue());
      const counts = await effects.process(messages, mustReturn ? OVER : time);
      lastDone = counts.done;
      total = addCounts(total, counts);
      if (mustReturn) return result('quotaReached');
      if (total.startError !== '') return result('startFailed');
      if (trips(total)) return result('tripped');
      await pace(lone.paceMs());
      continue;
    }
    idleCount += 1;
    const delay = lone.idleMs(idleCount) ?? backOff(idleCount);
    if (delay === 'end') return result(isQuotaReached() ? 'quotaReached' : 'empty');
    await pace(nowMs() - receiveMs + delay);
  }
  return result('quotaReached');
}
