/**
 * The start of the local stack: from the start of a process until storage, broker, task hub and app accept requests.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { BenchOptions } from '../arguments.ts';
import { percentile } from './percentile.ts';

/** The duration of each start in milliseconds, and the median. */
export interface StartResult {
  milliseconds: number[];
  median: number;
}

/** Starts the stack `starts` times, each time in a new process with a new data folder. */
export async function measureStarts(folder: string, { starts }: Pick<BenchOptions, 'starts'>): Promise<StartResult> {
  const milliseconds: number[] = [];
  for (let count = 0; count < starts; count += 1) milliseconds.push(await startOnce(join(folder, `start-${count}`)));
  return { milliseconds, median: percentile(milliseconds, 50) };
}

async function startOnce(folder: string): Promise<number> {
  const start = performance.now();
  const child = fork(new URL('../stack/start-stack.ts', import.meta.url), [folder]);
  const gone = once(child, 'exit');
  await Promise.race([
    once(child, 'message'),
    gone.then(([code]) => {
      throw new Error(`The local stack's process ended with ${code}.`);
    }),
  ]);
  const milliseconds = performance.now() - start;
  child.disconnect();
  await gone;
  return milliseconds;
}
