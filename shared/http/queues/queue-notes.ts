/** Why a queue waits, is slow, or is not faster, as texts. Pure. */
import type { WaveBound } from '../../gate/wave-record.ts';
import { bad, info, type Note, notesOf, numberText, pauseText, timeText, warn } from '../edge/notes.ts';
import type { LimitsView, QueueView, WaveView } from './schemas.ts';

type Queue = Omit<QueueView, 'notes'>;

/** Returns what is unusual about a queue, most important first; empty if nothing is. */
export const queueNotes = (queue: Queue, nowMs: number): Note[] => [
  ...notesOf(queue.paused && warn(queuePauseText(queue.paused))),
  ...troubleNotes(queue),
  ...(queue.limits === null ? [] : limitNotes(queue.limits)),
  ...notesOf(waitNote(queue, nowMs)),
];

/** Returns what else explains the state of a queue: that it is empty, and what its latest wave was limited by. */
export function waveNotes({ status, paused, depth, depthAt }: Queue, waves: readonly WaveView[]): Note[] {
  const isResting = status === 'idle' && paused === null;
  const last = waves.at(-1);
  return notesOf(
    isResting && depthAt === null && info('its depth has not been measured yet'),
    isResting && depth === 0 && depthAt !== null && info(`it was empty at ${timeText(depthAt)}`),
    last && info(waveText(last)),
  );
}

/** Describes the pause of a queue; that of the circuit with its next probe. */
export function queuePauseText(pause: NonNullable<QueueView['paused']>): string {
  if (pause.by === 'operator') return pauseText(pause);
  const { probeAt } = pause;
  const next =
    probeAt === undefined ? 'one task tries the next message' : `one task tries again at ${timeText(probeAt)}`;
  return `${pauseText(pause)}; ${next}`;
}

function troubleNotes({ startFailure, throttled, taskLimit, missedWakes, orphanedReferences }: Queue): Note[] {
  return notesOf(
    startFailure && bad(`its drain cannot be started since ${timeText(startFailure.since)}: ${startFailure.error}`),
    throttled > 0 && warn(`${numberText(throttled, 'throttled response')} in the last wave`),
    taskLimit > 0 &&
      warn(`at most ${numberText(taskLimit, 'task')} per wave: throttling, slow responses or failures lowered it`),
    missedWakes > 0 &&
      warn(`${numberText(missedWakes, 'missed wake')}: the sweep found work that no event had announced`),
    orphanedReferences > 0 &&
      info(`${numberText(orphanedReferences, 'reference')} of batches that are gone were dropped`),
  );
}

const WAITS = 'waits for a share of the limits of its workload';

function limitNotes({ waiting, rateLimit, maxConcurrency, lowered, heldUntil, holders }: LimitsView): Note[] {
  return notesOf(
    waiting && warn(`${WAITS} since ${timeText(waiting.since)}, tries again at ${timeText(waiting.until)}`),
    heldUntil !== null && warn(`throttled: nothing starts until ${timeText(heldUntil)}`),
    lowered &&
      warn(`throttled: its rate is lowered to ${percentText(lowered.factor)} since ${timeText(lowered.since)}`),
    rateLimit && info(`rate limit ${rateText(rateLimit)}`),
    maxConcurrency !== null && info(`at most ${numberText(maxConcurrency, 'item')} in flight`),
    holders > 0 && info(`limits shared by ${numberText(holders, 'process', 'processes')}`),
  );
}

const percentText = (factor: number): string => `${Math.round(factor * 100)} %`;

const rateText = (rate: NonNullable<LimitsView['rateLimit']>): string =>
  `${'calls' in rate ? numberText(rate.calls, 'call') : numberText(rate.items, 'item')}/${rate.perSeconds} s`;

function waitNote({ status, paused, depth, depthAt, dueAt, limits }: Queue, nowMs: number): Note | undefined {
  if (status === 'draining' || paused !== null || limits?.waiting) return undefined;
  if (dueAt !== null && Date.parse(dueAt) > nowMs)
    return info(`its earliest delayed message becomes visible at ${timeText(dueAt)}`);
  if (depthAt === null || depth === 0) return undefined;
  const waiting = numberText(depth, 'message');
  return warn(`${waiting} and no drain runs: one starts with the next wake, or at once by a drain now`);
}

/** The limit that determined the number of tasks in a wave, as text that follows "limited by". */
export const BOUND_TEXT: Readonly<Record<WaveBound, string>> = {
  rule: 'the thresholds of the policy',
  work: 'the waiting work and the target seconds of the policy',
  depth: 'the number of waiting messages',
  capacity: 'the capacity of the policy',
  pool: 'the other queues of its pool',
  throttling: 'the task limit, lowered by throttling, slow responses or failures',
  limits: 'the limits of the workload',
  saturation: 'busy instances',
  probe: 'the circuit, which allows one task as a probe',
  collector: 'the collector, which uses one task',
};

function waveText({ at, tasks, depth, limitedBy, late, items }: WaveView): string {
  const planned = late ? ', planned for work that would miss its deadline,' : '';
  return `the wave that ended at ${timeText(at)}${planned} had ${numberText(tasks, 'task')} for ${numberText(depth, 'message')}, limited by ${limitedBy}; ${numberText(items, 'item')} ended in it`;
}
