/** Why a queue waits, is slow, or is as fast as it is, in words. */
import type { AuditEntry, QueueDetails, WaveView } from '../api/types.ts';
import { formatAgo, formatClock, formatNumberOf, formatPercent, formatTime, plain } from '../format.ts';

export interface Why {
  text: string;
  tone: 'bad' | 'warn' | 'info';
}

type Bound = WaveView['bound'];

/** What each bound means, as the end of a sentence that begins with the tasks of a wave. */
export const BOUND_TEXTS: Readonly<Record<Bound, string>> = {
  rule: 'the steps of the policy allow no more for so many items',
  work: 'more would have less than the seconds of work per task that the policy wants',
  depth: 'there was one task per message',
  capacity: 'the policy allows no more tasks per wave',
  throttling: 'throttled answers, slow responses or failures have lowered the number',
  limits: 'the limits of the workload feed no more',
  saturation: 'the instances were busy and new ones had not come yet',
  probe: 'the circuit is open and lets one task try',
  collector: 'one task collects the results of a queue',
};

/** What is known of a queue, and the latest actions of operators on it. */
export interface WhyOptions {
  queue: QueueDetails;
  actions: readonly AuditEntry[];
  nowMs: number;
}

/** Everything that explains the present state of a queue, what weighs most first; never empty. */
export function whyTexts({ queue, actions, nowMs }: WhyOptions): Why[] {
  return [
    ...pauseTexts(queue, actions, nowMs),
    ...troubleTexts(queue, nowMs),
    ...limitTexts(queue.limits),
    ...waitTexts(queue, nowMs),
    ...waveTexts(queue),
  ];
}

function pauseTexts({ paused }: QueueDetails, actions: readonly AuditEntry[], nowMs: number): Why[] {
  if (paused === null) return [];
  const { by, reason, since, probeAt } = paused;
  const start = `since ${formatTime(since)} (${formatAgo(since, nowMs)})`;
  const why = reason === '' ? 'No reason was given.' : `Reason: ${plain(reason)}.`.replace(/\.\.$/, '.');
  if (by === 'operator') {
    const whom = actions.find(({ action, status }) => action === 'pause-queue' && status < 300)?.by ?? '';
    const name = whom === '' ? 'an operator' : plain(whom);
    return [{ tone: 'warn', text: `Paused by ${name} ${start}. ${why} Nothing begins until somebody resumes it.` }];
  }
  const probe = probeAt === undefined ? '' : ` One task tries again at ${formatClock(probeAt)}.`;
  return [{ tone: 'warn', text: `Paused by the circuit ${start}. ${why}${probe}` }];
}

function troubleTexts(queue: QueueDetails, nowMs: number): Why[] {
  const { startFailure, throttled, taskLimit, missedWakes, orphanedReferences } = queue;
  const texts: (Why | false)[] = [
    startFailure !== null && {
      tone: 'bad',
      text: `Its drain cannot be started, ${formatAgo(startFailure.since, nowMs)} for the first time: ${plain(startFailure.error)}`,
    },
    throttled > 0 && {
      tone: 'warn',
      text: `A service has throttled ${formatNumberOf(throttled, 'request')} of the last wave.`,
    },
    taskLimit > 0 && {
      tone: 'warn',
      text: `At most ${formatNumberOf(taskLimit, 'task')} per wave just now: throttled answers, slow responses or failures have lowered it.`,
    },
    missedWakes > 0 && {
      tone: 'warn',
      text: `The sweep has found work ${formatNumberOf(missedWakes, 'time')} that no event had announced.`,
    },
    orphanedReferences > 0 && {
      tone: 'info',
      text: `${formatNumberOf(orphanedReferences, 'message')} of batches that are gone were dropped.`,
    },
  ];
  return texts.filter((text) => text !== false);
}

function limitTexts(limits: QueueDetails['limits']): Why[] {
  if (limits === null) return [];
  const { waiting, lowered, heldUntil, holders } = limits;
  const others = holders === 0 ? '' : ` ${formatNumberOf(holders, 'process has', 'processes have')} one.`;
  return [
    ...(waiting === null
      ? []
      : [
          {
            tone: 'warn' as const,
            text: `Waits since ${formatClock(waiting.since)} for a share of the limits of its workload; tries again at ${formatClock(waiting.until)}.${others}`,
          },
        ]),
    ...(heldUntil === null
      ? []
      : [{ tone: 'warn' as const, text: `The other side has asked for no call before ${formatClock(heldUntil)}.` }]),
    ...(lowered === null
      ? []
      : [
          {
            tone: 'warn' as const,
            text: `Runs at ${formatPercent(lowered.factor)} of its rate limit: the other side has throttled. Changed at ${formatClock(lowered.since)}.`,
          },
        ]),
  ];
}

function waitTexts({ status, paused, depth, depthAt, dueAt }: QueueDetails, nowMs: number): Why[] {
  if (status === 'draining' || paused !== null) return [];
  if (dueAt !== null && Date.parse(dueAt) > nowMs)
    return [{ tone: 'info', text: `Its earliest delayed message becomes visible at ${formatClock(dueAt)}.` }];
  if (depthAt === null) return [{ tone: 'info', text: 'Its depth has not been measured yet.' }];
  if (depth === 0) return [{ tone: 'info', text: `Nothing waits: it was empty ${formatAgo(depthAt, nowMs)}.` }];
  return [
    {
      tone: 'warn',
      text: `${formatNumberOf(depth, 'message')} waited ${formatAgo(depthAt, nowMs)} and no drain runs: one starts with the next wake, or with Drain now.`,
    },
  ];
}

/** Why the last wave had as many tasks as it had. */
function waveTexts({ waves, status, active }: QueueDetails): Why[] {
  const last = waves.at(-1);
  const now: Why[] =
    status === 'draining'
      ? [{ tone: 'info', text: `A wave runs with ${formatNumberOf(active, 'planned task')}.` }]
      : [];
  if (last === undefined) return now;
  const late = last.late ? ' It was planned for work that would miss its deadline, regardless of the steps.' : '';
  const text = `The wave that ended at ${formatClock(last.at)} had ${formatNumberOf(last.tasks, 'task')} for ${formatNumberOf(last.depth, 'message')}: ${BOUND_TEXTS[last.bound]}.${late}`;
  return [...now, { tone: 'info', text: `${text} ${formatNumberOf(last.items, 'item')} ended in it.` }];
}
