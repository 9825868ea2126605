import { pendingOf } from '../../batches/watch/read-open-batches.ts';
import { poisonQueueName } from '../../contract/names.ts';
import { DAY_MS } from '../../days.ts';
import { type GateRow, lastSignMs, SILENCE_MS } from '../../gate/gate-row.ts';
import { latestHeartbeat } from '../../gate/heartbeat.ts';
import { inParallel } from '../../parallel.ts';
import type { Settings } from '../../settings.ts';
import type { Reads } from '../edge/app.ts';
import { isWaiting } from '../queues/backlog.ts';
import { queuePauseText } from '../queues/queue-notes.ts';
import type { QueueReading } from '../queues/queue-views.ts';
import type { QueueView } from '../queues/schemas.ts';
import type { Overview } from './schemas.ts';

const POISON_MS = 60_000;
const READS_AT_ONCE = 8;

/** The totals over all queues and open batches. */
export function totals({ queues, batches, read }: QueueReading): Overview['queues'] {
  const views = queues.map(({ view }) => view);
  const waiting = batches.filter(isWaiting);
  const times = views.map(({ depthAt }) => depthAt);
  return {
    count: views.length,
    draining: views.filter(({ status }) => status === 'draining').length,
    paused: views.filter(({ paused }) => paused !== null).length,
    messages: views.reduce((sum, { depth }) => sum + depth, 0),
    measuredAt: times.includes(null) ? null : (times.sort()[0] ?? null),
    batches: waiting.length,
    items: waiting.reduce((sum, batch) => sum + pendingOf(batch), 0),
    read,
  };
}

/** Paused queues, those with the longest pause first. An empty one also needs an operator: what comes next waits. */
export function pausedQueues(views: readonly QueueView[]): Overview['pausedQueues'] {
  return views
    .flatMap(({ queue, workload, paused, depth: messages, backlog }) => {
      const { batches = 0, items = 0 } = backlog ?? {};
      if (paused === null) return [];
      const { probes: _probes, ran: _ran, failures: _failures, ...pause } = paused;
      return [{ queue, workload, ...pause, text: queuePauseText(paused), messages, batches, items }];
    })
    .sort((a, b) => (a.since < b.since ? -1 : 1));
}

/** Queues that missed a wake event within a day. */
export const missedWakes = (gates: readonly GateRow[], nowMs: number): Overview['missedWakes'] =>
  gates
    .filter(({ missedWakeAt }) => nowMs - Date.parse(missedWakeAt) <= DAY_MS)
    .map(({ queue, missedWakes: count, missedWakeAt: at }) => ({ queue, count, at }));

/** Measures the poison queues of the pool, and returns those that hold messages. */
export async function poisonQueues(
  { registry, pool, recentDepth }: Pick<Reads, 'registry' | 'recentDepth'> & Pick<Settings, 'pool'>,
  fresh: boolean,
): Promise<Overview['poison']> {
  const names = registry.workloads
    .filter((workload) => pool === undefined || workload.pool === pool)
    .map(({ name }) => poisonQueueName(name));
  const depths = await inParallel(names, READS_AT_ONCE, async (queue) => {
    const { messages } = await recentDepth(queue, { maxAgeMs: fresh ? 0 : POISON_MS });
    return { queue, messages };
  });
  return depths.filter(({ messages }) => messages > 0);
}

/**
 * Returns drains that make no progress: those that could not be started, and those without a recent heartbeat. If a gate looks
 * dead, one query reads the heartbeats of its tasks.
 */
export async function stuckDrains(
  { table, now }: Reads['gate'],
  gates: readonly GateRow[],
): Promise<Overview['stuck']> {
  const found = await inParallel(gates, READS_AT_ONCE, async (gate) => {
    const { queue, startFailure, status, generation } = gate;
    if (startFailure)
      return [{ queue, since: startFailure.since, reason: `The drain cannot be started: ${startFailure.error}` }];
    if (status === 'idle' || now() <= lastSignMs(gate) + SILENCE_MS) return [];
    const signMs = await latestHeartbeat(table, gate);
    if (now() <= signMs + SILENCE_MS) return [];
    return [{ queue, since: new Date(signMs).toISOString(), reason: `Drain ${generation} sends no heartbeat.` }];
  });
  return found.flat();
}
