/** Wakes of an idle system: from the publication of the event to the handler's first call. */
import { setTimeout as sleep } from 'node:timers/promises';
import { read, uploadText } from '../stack/api.ts';
import type { BenchStack, DurableDelays } from '../stack/stack.ts';
import { percentile } from './percentile.ts';

/** Percentiles of a wait in milliseconds. */
export interface Wait {
  p50: number;
  p99: number;
}

export interface WakeResult {
  wakes: number;
  delays: DurableDelays;
  latencyMs: Wait;
}

/** A random pause keeps the durable backend and the broker from running in step with the bench. */
const MAX_PAUSE_MS = 250;

/** Wakes the system `wakes` times, each time after all of its drains have released their gates. */
export async function measureWakes(stack: BenchStack, wakes: number, delays: DurableDelays): Promise<WakeResult> {
  await wakeOnce(stack);
  const latencies: number[] = [];
  for (let count = 0; count < wakes; count += 1) latencies.push(await wakeOnce(stack));
  return { wakes, delays, latencyMs: { p50: percentile(latencies, 50), p99: percentile(latencies, 99) } };
}

async function wakeOnce(stack: BenchStack): Promise<number> {
  const { events } = stack;
  events.clear();
  const { id } = await uploadText(stack, 'probe', '{"n":1}\n');
  const [wake] = await Promise.all([
    events.first(({ event }) => event.type === 'QueueWorkDetected' && event.batch === id),
    ...['probe-normal-0', 'probe-results'].map((queue) =>
      events.first(({ event }) => event.type === 'QueueEmpty' && event.queue === queue),
    ),
    events.first(({ event }) => event.type === 'BatchCompleted' && event.batch === id),
  ]);
  const [line = ''] = (await read(stack, `batches/${id}/results`)).split('\n');
  // The drain that reported the queue as empty ends shortly afterwards.
  await sleep(Math.random() * MAX_PAUSE_MS);
  return (JSON.parse(line) as { atMs: number }).atMs - wake.publishedMs;
}

/** A message arrives at a random moment between two polls, so the wait is evenly distributed over the interval. */
export const pollWait = (intervalMs: number): Wait => ({ p50: intervalMs * 0.5, p99: intervalMs * 0.99 });
