import { endWholeChunk, splitChunk } from '../outcome/endings.ts';
import { toErrorText } from '../outcome/error-text.ts';
import { rangeOf } from '../sources.ts';
import { createStatusBuffer, readThreadStatus } from '../thread/thread-status.ts';
import type { ChunkJob, ChunkOutcome, ThreadAnswer, ThreadTask } from '../thread/thread-task.ts';
import { ProcessorClosedError, ThreadStartError } from './errors.ts';
import { deathText, isOutOfMemory, NO_FAILURES, recordThreadFailure, type ThreadFailures } from './thread-failures.ts';
import type { ThreadEnd } from './threads.ts';

/** After so many ends the rest of a chunk is passed on: each one costs a new thread, and a lease is held meanwhile. */
const MAX_ENDS = 32;
const MAX_UNATTRIBUTED = 2;
const MAX_UNSTARTED = 3;
/** A chunk that cannot be held or written as a whole is cut; smaller parts need less memory. */
const SPLIT_PARTS = 8;

/** What the run of a chunk needs of the processor. */
export interface RescueTools {
  run: (task: ThreadTask) => Promise<ThreadEnd>;
  clockMs: () => number;
  budgetMs: number;
  isClosed: () => boolean;
  onDropped: (lines: number) => void;
}

interface Rescue {
  frame: Uint8Array;
  startMs: number;
  lostMs: number;
  failures: ThreadFailures;
  lines: number;
  dropped: number;
}

/**
 * Runs a chunk, again for each thread that it ends, until there is an outcome.
 * @throws ProcessorClosedError, or ThreadStartError when no thread can begin.
 */
export async function processChunk(job: ChunkJob, tools: RescueTools): Promise<ChunkOutcome> {
  const startMs = tools.clockMs();
  const rescue: Rescue = {
    frame: toSharedMemory(job.frame),
    startMs,
    lostMs: 0,
    failures: NO_FAILURES,
    lines: 0,
    dropped: 0,
  };
  for (;;) {
    if (tools.isClosed()) throw new ProcessorClosedError('The processor is closed.');
    const outcome = await runOnce(job, rescue, tools);
    if (outcome === undefined) continue;
    if (rescue.dropped > 0) tools.onDropped(rescue.dropped);
    outcome.header.handlerSeconds += rescue.lostMs / 1_000;
    return outcome;
  }
}

async function runOnce(job: ChunkJob, rescue: Rescue, tools: RescueTools): Promise<ChunkOutcome | undefined> {
  const begunMs = tools.clockMs();
  const task = nextTask(job, rescue, { elapsedMs: begunMs - rescue.startMs, budgetMs: tools.budgetMs });
  const end = await tools.run(task);
  ({ lines: rescue.lines, dropped: rescue.dropped } = readThreadStatus(task.statusBuffer));
  if ('answer' in end) return accept(end.answer);
  if (tools.isClosed()) return undefined;
  const lostMs = tools.clockMs() - begunMs;
  rescue.failures = recordThreadFailure(rescue.failures, end, task.nowMs + lostMs);
  rescue.lostMs += lostMs;
  if (isOutOfMemory(end.error) && (await completesInOwnThread(task, end.status.position, tools))) {
    return splitChunk(job.reference, SPLIT_PARTS);
  }
  return giveUp(job, rescue.failures, end.error);
}

/**
 * Whether the item at which a thread's memory ran out gets by with a thread of its own. Then it was the chunk's results
 * that filled it, and the item is not to blame.
 */
async function completesInOwnThread(task: ThreadTask, line: number, { run }: RescueTools): Promise<boolean> {
  const [first, last] = rangeOf(task.reference);
  if (line < 0 || last - first === 1) return false;
  const reference = { ...task.reference, skip: line, take: 1 };
  const end = await run({ ...task, reference, statusBuffer: createStatusBuffer(), knownFailures: [] });
  return 'answer' in end;
}

function nextTask(
  { reference, nowMs }: ChunkJob,
  { frame, failures, lines, dropped }: Rescue,
  { elapsedMs, budgetMs }: { elapsedMs: number; budgetMs: number },
): ThreadTask {
  const { knownFailures, single } = failures;
  return {
    reference,
    frame,
    statusBuffer: createStatusBuffer(lines, dropped),
    nowMs: nowMs + elapsedMs,
    knownFailures,
    single,
    budgetMs: knownFailures.length >= MAX_ENDS ? 0 : Math.max(0, budgetMs - elapsedMs),
  };
}

function accept(answer: ThreadAnswer): ChunkOutcome {
  if ('refused' in answer) throw new ThreadStartError(answer.refused);
  return answer.outcome;
}

/** What is done when running the chunk again has no prospect; undefined when it has. */
function giveUp(
  { reference, frame, nowMs }: ChunkJob,
  failures: ThreadFailures,
  cause: unknown,
): ChunkOutcome | undefined {
  if (failures.unstarted >= MAX_UNSTARTED) {
    throw new ThreadStartError(`No thread could begin: ${toErrorText(cause).message}`, { cause });
  }
  if (failures.unattributed < MAX_UNATTRIBUTED) return undefined;
  const [first, last] = rangeOf(reference);
  if (last - first > 1) return splitChunk(reference, SPLIT_PARTS);
  const { name, message } = deathText(cause);
  const error = Object.assign(new Error(message), { name });
  return endWholeChunk({ reference, ending: 'killed', error, nowMs, version: reference.version, frame });
}

/** One copy of the compressed bytes: the caller keeps its own, and every run reads the same ones. */
function toSharedMemory(frame: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(frame.length));
  copy.set(frame);
  return copy;
}
