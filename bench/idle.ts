/** `npm run bench -- --idle`: the storage operations of an app without work, on the schedules of a deployment. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FIRST_HOST, logFile } from 'functions-local';
import { totalOperations } from '../shared/contract/operations.ts';
import { buildApp } from './app/build.ts';
import type { BenchOptions } from './arguments.ts';
import { onBenchStack } from './stack/stack.ts';

const MINUTE_MS = 60_000;
/** Source: infra/main.bicep. */
const SCHEDULES = { SLUICE_SWEEP_SCHEDULE: '0 */15 * * * *', SLUICE_INBOX_SCHEDULE: '0 */10 * * * *' };
/** The limit per day that the tests enforce: tests/integration/idle. */
const PUBLISHED_PER_DAY = 250;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function firings(folder: string): Promise<string> {
  const log = await readFile(logFile(folder, FIRST_HOST), 'utf8');
  const count = (name: string): number => log.split(`Executing 'Functions.${name}'`).length - 1;
  return `sweep ${count('sweep')}, scan-inbox ${count('scan-inbox')}`;
}

async function watch(folder: string, minutes: number): Promise<void> {
  const options = { folder, appFolder: await buildApp(), settings: SCHEDULES };
  await onBenchStack(options, async (stack) => {
    await stack.azurite.takeRequests();
    print(`Idle for ${minutes} minutes, on the schedules of a deployment …`);
    await sleep(minutes * MINUTE_MS);
    const operations = await stack.azurite.takeRequests();
    const total = totalOperations(operations);
    print(`Timers fired: ${await firings(folder)}`);
    print(`Storage operations: ${total}${total === 0 ? '' : ` ${JSON.stringify(operations)}`}`);
    print(
      `At most ${PUBLISHED_PER_DAY} per day, for any number of queues; one poll per second costs 86,400 per queue.`,
    );
    print('This stack does not include the polls of the Durable extension in Azure: see docs/cost.md.');
  });
}

/** Prints the timers that fired within `minutes`, and the storage operations of the whole app. */
export async function runIdle({ minutes }: Pick<BenchOptions, 'minutes'>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-idle-'));
  try {
    await watch(folder, minutes);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
