import { writeFile } from 'node:fs/promises';
import { setInterval as every } from 'node:timers/promises';
import { peakMemory } from '../../local/batch/peak-memory.ts';
import { type Answer, type Door, send } from './send.ts';

/** What the app's process used, and how it answered others, while it handled an input. */
export interface Watched {
  peakBytes: number;
  health: Answer[];
  /** The answers to an honest client, who has a small upload checked. */
  honest: Answer[];
}

/**
 * Requests are sent at this pace whether or not the earlier ones are answered, so that a process that is blocked for a
 * second delays ten of them.
 */
const HEALTH_EVERY_MS = 100;
const HONEST_EVERY_MS = 1_000;
const MAX_WAIT_MS = 120_000;

/** A check uses the same places as an upload, and stores nothing. */
const HONEST_UPLOAD = {
  route: 'POST workloads/billing/try',
  headers: { 'content-type': 'application/x-ndjson' },
  body: Buffer.from('{"id":"1"}\n'),
  maxMs: MAX_WAIT_MS,
};

/** Watches memory and health during `work`. */
export async function watched<T>(door: Door, work: () => Promise<T>): Promise<{ value: T; seen: Watched }> {
  const pid = door.pid();
  await forgetPeak(pid);
  const over = new AbortController();
  const ask = (sent: Parameters<typeof send>[1], everyMs: number): Promise<Answer[]> =>
    repeated(() => send(door, sent), everyMs, over.signal);
  const health = ask({ route: 'GET health', maxMs: MAX_WAIT_MS }, HEALTH_EVERY_MS);
  const honest = ask(HONEST_UPLOAD, HONEST_EVERY_MS);
  try {
    const value = await work();
    const peakBytes = (await peakMemory(pid)) ?? Number.NaN;
    over.abort();
    return { value, seen: { peakBytes, health: await health, honest: await honest } };
  } finally {
    over.abort();
  }
}

async function repeated(ask: () => Promise<Answer>, everyMs: number, until: AbortSignal): Promise<Answer[]> {
  const asked = [ask()];
  try {
    for await (const _ of every(everyMs, undefined, { signal: until })) asked.push(ask());
  } catch (error) {
    if (!until.aborted) throw error;
  }
  return Promise.all(asked);
}

/**
 * Linux then reports the peak since now. Elsewhere, or without the permission, it is the peak since the start of the process,
 * or the value at the end. Source: man 5 proc, clear_refs.
 */
async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5').catch(() => undefined);
}
