/** Texts that explain why a queue waits, is slow, or is not faster. */
import type { AuditEntry, QueueDetails, WaveView } from '../api/types.ts';
import { formatAgo, formatClock, formatNumberOf, formatPercent, formatTime, plain } from '../format.ts';
import { probeText } from '../queues/probe-text.ts';

export interface Why {
  text: string;
  tone: 'bad' | 'warn' | 'info';
}

type Bound = WaveView['bound'];

/** The meaning of each bound, as the end of a sentence that begins with the tasks of a wave. */
export const BOUND_TEXTS: Readonly<Record<Bound, string>> = {
  rule: 'the steps of the policy allow no more for so many items',
  work: 'more tasks would have less work each than the policy requires',
  depth: 'there was one task per message',
  capacity: 'the policy allows no more tasks per wave',
  throttling: 'throttled responses, slow responses or failures have lowered the number',
  limits: 'the limits of the workload allow no more',
  saturation: 'the instances were busy and new ones had not started yet',
  probe: 'the circuit is open and allows one task as a probe',
  collector: 'one task collects the results of a queue',
};

/** The state of a queue, and the latest actions of operators on it. */
export interface WhyOptions {
  queue: QueueDetails;
  actions: readonly AuditEntry[];
  nowMs: number;
}

/** Returns all explanations of the present state of a queue, most important first; never empty. */
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
  const { by, reason, since } = paused;
  const start = `since ${formatTime(since)} (${formatAgo(since, nowMs)})`;
  const why = reason === '' ? 'No reason was given.' : `Reason: ${plain(reason)}.`.replace(/\.\.$/, '.');
  if (by === 'operator') {
    const whom = actions.find(({ action, status }) => action === 'pause-queue' && status < 300)?.by ?? '';
    const name = whom === '' ? 'an operator' : plain(whom);
    return [{ tone: 'warn', text: `Paused by ${name} ${start}. ${why} Nothing starts until an operator resumes it.` }];
  }
  const probe = probeText(paused)?.replace('one', 'One');
  return [{ tone: 'warn', text: `Paused by the circuit ${start}. ${why} ${probe}.` }];
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
      text: `At most ${formatNumberOf(taskLimit, 'task')} per wave at present: throttled responses, slow responses or failures have lowered it.`,
    },
    missedWakes > 0 && {
      tone: 'warn',
      text: `The sweep has found work ${formatNumberOf(missedWakes, 'time')} that no event had announced.`,
    },
    orphanedReferences > 0 && {
      tone: 'info',
      text: `${formatNumberOf(orphanedReferences, 'message')} of batches that no longer exist were dropped.`,
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
      : [{ tone: 'warn' as const, text: `The called service allows no call before ${formatClock(heldUntil)}.` }]),
    ...(lowered === null
      ? []
      : [
          {
            tone: 'warn' as const,
            text: `Runs at ${formatPercent(lowered.factor)} of its rate limit: the called service throttled it. Changed at ${formatClock(lowered.since)}.`,
          },
        ]),
  ];
}

function waitTexts({ status, paused, depth, depthAt, dueAt }: QueueDetails, nowMs: number): Why[] {
  if (status === 'draining' || paused !== null) return [];
  if (dueAt !== null && Date.parse(dueAt) > nowMs)
    return [{ tone: 'info', text: `Its earliest delayed message becomes visible at ${formatClock(dueAt)}.` }];
  if (depthAt === null) return [{ tone: 'info', text: 'Its depth has not been measured yet.' }];
  if (depth === 0)
    return [{ tone: 'info', text: `No message waits: the queue was empty ${formatAgo(depthAt, nowMs)}.` }];
  return [
    {
      tone: 'warn',
      text: `${formatNumberOf(depth, 'message')} were waiting ${formatAgo(depthAt, nowMs)} and no drain runs: one starts with the next wake, or with Drain now.`,
    },
  ];
}

/** Returns why the last wave had its number of tasks. */
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
