/** Runs one small batch through a cell while one of its calls fails, until its exact end. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BatchRow, isFinished } from '../../../shared/batches/batch-row.ts';
import { statusOf } from '../../../shared/errors.ts';
import { readGate } from '../../../shared/gate/gate-store.ts';
import type { ItemBehaviour } from '../app/items.ts';
import { brokenLaw, type LedgerView, readLedger } from '../harness/ledger-view.ts';
import { truthOf } from '../harness/truth.ts';
import { isGood, verify } from '../harness/verify.ts';
import type { Cell } from './cell.ts';
import type { CallFault } from './director.ts';

/** The result of one run; `problems` is empty for a good one. */
export interface CallRun extends CallFault {
  /** Whether the batch was paused and resumed; calls are counted from the pause on. */
  pauses: boolean;
  /** Calls until the response to the resume. */
  pauseCalls: number;
  /** The call that failed; undefined if the batch finished before its k-th call. */
  failed: string | undefined;
  calls: readonly string[];
  problems: string[];
  seconds: number;
}

/** Three chunks of at most four items: one item succeeds at its second attempt, one is refused. */
const TRUTH = truthOf(
  10,
  new Map<number, ItemBehaviour>([
    [1, 'once'],
    [6, 'reject'],
  ]),
);
const OBSERVE_MS = 150;
/** After this time without any change, the clocks are set forward, and a sweep runs. */
const IDLE_MS = 1_200;
/**
 * Checks the rest before the clocks are set forward: a drain that polls an empty queue takes a second to release its
 * gate.
 */
const TRIES_PER_HELP = 16;
/** More than every wait of the app except the ten minutes of a silent drain, which several steps together exceed. */
const STEP_MS = 130_000;
/** The broker refuses a token that is an hour old. */
const MAX_AHEAD_MS = 55 * 60_000;
const STUCK_MS = 60_000;
const PAUSE_LOOKS = 10;

export interface RunOptions {
  /**
   * The batch is stuck if it is not finished after this time, or not at rest after the same time again; defaults to one
   * minute.
   */
  patienceMs?: number;
  /** Pauses and resumes the batch, and counts calls from the pause on; defaults to false. */
  pauses?: boolean;
}

/** Runs one batch of `workload`, one call of which fails. */
export async function runWithFault(
  cell: Cell,
  workload: string,
  fault: CallFault,
  { patienceMs = STUCK_MS, pauses = false }: RunOptions = {},
): Promise<CallRun> {
  const started = Date.now();
  const problems: string[] = [];
  let run: Pick<CallRun, 'failed' | 'calls' | 'pauseCalls'> = { failed: undefined, calls: [], pauseCalls: 0 };
  // Otherwise, the waits of a hundred runs would make data look a day old to the sweep.
  cell.resetClock();
  cell.director.arm(pauses ? undefined : fault);
  try {
    // An interrupted upload holds its key for a minute of the service's clock.
    const onRefused = (): void => cell.advance(10_000);
    const id = await cell.api.submit(workload, randomUUID(), TRUTH.body, { onRefused });
    if (pauses) await pauseAndResume(cell, { workload, id, fault });
    const pauseCalls = cell.director.calls.length;
    const ledger = await watch(cell, id, { problems, patienceMs });
    if (ledger) problems.push(...(await leftovers(cell, { workload, id, patienceMs })));
    run = { failed: cell.director.failed, calls: cell.director.calls, pauseCalls };
    cell.director.arm();
    await cell.whole();
    if (ledger) problems.push(...(await problemsOf(cell, id)));
  } catch (error) {
    problems.push(String(error));
  }
  return { ...run, ...fault, pauses, problems, seconds: (Date.now() - started) / 1000 };
}

/** Resumes the batch when workers have deleted the references that they have received, or had time to. */
async function pauseAndResume(
  { api, director, queues }: Cell,
  { workload, id, fault }: { workload: string; id: string; fault: CallFault },
): Promise<void> {
  director.arm(fault);
  if (!(await api.pause(id))) return;
  for (let looks = 0; looks < PAUSE_LOOKS; looks += 1) {
    const depths = await Promise.all(workQueuesOf(workload).map((name) => depthOf(queues, name)));
    if (depths.every((depth) => depth === 0)) break;
    await sleep(OBSERVE_MS);
  }
  await api.resume(id);
}

/** Polls the rows until the batch has finished and announced it. */
async function watch(
  cell: Cell,
  id: string,
  { problems, patienceMs }: { problems: string[]; patienceMs: number },
): Promise<LedgerView | undefined> {
  const end = Date.now() + patienceMs;
  let seen = { calls: 0, at: Date.now() };
  while (Date.now() < end) {
    const ledger = await readLedger(cell.batches, id);
    const broken = ledger && brokenLaw(ledger);
    if (broken) problems.push(broken);
    if (ledger && isFinished(ledger.batch.state) && ledger.batch.announced) return ledger;
    const calls = cell.director.calls.length;
    if (calls !== seen.calls) seen = { calls, at: Date.now() };
    else if (Date.now() - seen.at > IDLE_MS) {
      await help(cell, id);
      seen = { calls: cell.director.calls.length, at: Date.now() };
    }
    await sleep(OBSERVE_MS);
  }
  problems.push(`stuck: ${describe((await readLedger(cell.batches, id))?.batch)}`);
  return undefined;
}

const describe = (batch: BatchRow | undefined): string =>
  batch === undefined ? 'no batch row' : JSON.stringify(batch);

async function help(cell: Cell, id: string): Promise<void> {
  await cell.whole();
  if (cell.clockOffsetMs() < MAX_AHEAD_MS) cell.advance(STEP_MS);
  // The app reads the time from responses: a sweep that starts before the first response would end immediately.
  await cell.api.status(id);
  await cell.api.sweep();
}

/** Checks the current rows: a redelivery after the end must not have changed anything. */
async function problemsOf(cell: Cell, id: string): Promise<string[]> {
  const ledger = await readLedger(cell.batches, id);
  if (!ledger) return ['its rows are gone'];
  const broken = brokenLaw(ledger);
  const verdict = await verify(TRUTH, ledger, cell.api);
  return [...(broken ? [broken] : []), ...(isGood(verdict) ? [] : [JSON.stringify(verdict)])];
}

/** The queues must be empty, because remaining messages belong to no batch, and all drains must have ended. */
async function leftovers(
  cell: Cell,
  { workload, id, patienceMs }: { workload: string; id: string; patienceMs: number },
): Promise<string[]> {
  const names = [...workQueuesOf(workload), `${workload}-results`];
  const end = Date.now() + patienceMs;
  for (let tries = 1; ; tries += 1) {
    const rests = await Promise.all(names.map((name) => restOf(cell, name)));
    if (rests.every((rest) => rest === '')) return [];
    if (Date.now() > end) return [`not at rest: ${rests.join('; ')}`];
    await sleep(OBSERVE_MS);
    if (tries % TRIES_PER_HELP === 0) await help(cell, id);
  }
}

/** The names in tests/faults/app. */
const workQueuesOf = (workload: string): string[] =>
  (workload.startsWith('split') ? [0, 1] : [0]).map((shard) => `${workload}-normal-${shard}`);

/** A queue without any message so far does not exist. */
async function depthOf(queues: Cell['queues'], name: string): Promise<number> {
  try {
    return (await queues.getQueueClient(name).getProperties()).approximateMessagesCount ?? 0;
  } catch (error) {
    if (statusOf(error) === 404) return 0;
    throw error;
  }
}

/** Returns why a queue is not at rest. */
async function restOf(cell: Cell, name: string): Promise<string> {
  const depth = await depthOf(cell.queues, name);
  if (depth > 0) return `${depth} messages in ${name}`;
  const { row } = await readGate(cell.gates, name);
  return row.status === 'idle' ? '' : `${name} is ${row.status}`;
}
