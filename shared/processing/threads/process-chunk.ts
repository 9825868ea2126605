import { errorCodeOf } from '../../errors.ts';
import type { ChunkOutcome } from '../outcome/encode/encode-outcome.ts';
import { type ErrorText, toErrorText } from '../outcome/error-text.ts';
import { splitChunk, unrunOutcome } from '../outcome/unrun-outcomes.ts';
import { rangeOf } from '../sources.ts';
import { ALONE, createStatusBuffer, followStop, isInFlight } from '../thread/thread-status.ts';
import type { ChunkJob, ThreadAnswer, ThreadTask, Verdict, Watch } from '../thread/thread-task.ts';
import { NotBegunError, ProcessorClosedError, ThreadStartError } from './errors.ts';
import type { TaskResult, ThreadDeath } from './threads.ts';

/** Number of threads that may end before they begin, until the chunk is returned: one dying thread can take another with it. */
const MAX_UNSTARTED = 3;
/** Number of threads that may end for a chunk that requires a fresh one: other chunks may always take the fresh ones first. */
const MAX_USED = 16;
/** A chunk that is too large to hold or write as a whole is split; smaller parts need less memory. */
const SPLIT_PARTS = 8;

export interface ChunkTools {
  run: (task: ThreadTask, watch?: Watch) => Promise<TaskResult>;
  clockMs: () => number;
  budgetMs: number;
  isClosed: () => boolean;
}

/**
 * Runs a chunk in a thread, up to its outcome. If the thread dies, another one creates the outcome from its remains.
 * Items that have not ended go into the retry chunk, so that each death is followed by progress.
 * @throws ProcessorClosedError; NotBegunError if its time was over before a thread could begin; or ThreadStartError if no
 * thread can begin.
 */
export async function processChunk(job: ChunkJob, tools: ChunkTools): Promise<ChunkOutcome> {
  const startMs = tools.clockMs();
  const first = taskOf({ ...job, frame: toSharedMemory(job.frame) }, tools.budgetMs);
  const result = await runBegun(first, job, tools);
  if ('answer' in result) return accept(result.answer);
  const lostMs = tools.clockMs() - startMs;
  const late = { ...job, nowMs: job.nowMs + lostMs };
  const outcome =
    (await salvage({ ...first, nowMs: late.nowMs }, { death: result, job: late, tools })) ?? cutOrKilled(late, result);
  outcome.header.handlerSeconds += lostMs / 1_000;
  return outcome;
}

/** Creates the first run of a chunk, for a thread or for this one. No item begins after `maxMs`, or the job's own budget. */
export function taskOf(job: ChunkJob, maxMs: number): ThreadTask {
  const { reference, frame, nowMs, deadlineAt, permits, budgetMs = maxMs, beginUntilMs } = job;
  const [first, last] = rangeOf(reference);
  const statusBuffer = createStatusBuffer(last - first);
  return { id: 0, reference, deadlineAt, permits, frame, statusBuffer, nowMs, budgetMs, beginUntilMs };
}

/** Runs a task until a thread has begun it. Threads that have run before end themselves if it requires a fresh one. */
async function runBegun(task: ThreadTask, { stop, watch }: ChunkJob, tools: ChunkTools): Promise<TaskResult> {
  let { statusBuffer } = task;
  for (let [unstarted, used] = [0, 0]; ; ) {
    failIfClosed(tools);
    const unfollow = followStop(statusBuffer, stop);
    const result = await tools.run({ ...task, statusBuffer, acceptsUsed: used >= MAX_USED }, watch).finally(unfollow);
    if ('answer' in result) return result;
    failIfClosed(tools);
    if (result.status.isUsed) used += 1;
    else if (result.status.sequence > 0) return result;
    else unstarted += 1;
    // A thread that hung has already used its time: there is no further try.
    if (unstarted >= MAX_UNSTARTED || result.stuck) {
      throw new ThreadStartError(`No thread could begin: ${toErrorText(result.error).message}`, {
        cause: result.error,
      });
    }
    statusBuffer = createStatusBuffer(statusBuffer.items.length);
  }
}

function failIfClosed({ isClosed }: ChunkTools): void {
  if (isClosed()) throw new ProcessorClosedError('The processor is closed.');
}

/** Creates the outcome from the remains of a dead thread; undefined if they contain no trace of an item. */
async function salvage(
  task: ThreadTask,
  { death, job, tools }: { death: ThreadDeath; job: ChunkJob; tools: ChunkTools },
): Promise<ChunkOutcome | undefined> {
  const { items, copies, status } = death;
  const verdict = verdictOf(death, task.nowMs);
  const hasTrace = verdict !== undefined || copies.length > 0 || items.some((state) => isInFlight(state));
  if (!hasTrace && status.stop === undefined) return undefined;
  const statusBuffer = createStatusBuffer(items.length);
  const next = await runBegun({ ...task, statusBuffer, remains: { items, copies, verdict } }, job, tools);
  return 'answer' in next ? accept(next.answer) : undefined;
}

function accept(answer: ThreadAnswer): ChunkOutcome {
  if ('refused' in answer) throw new ThreadStartError(answer.refused);
  if ('notBegun' in answer) throw new NotBegunError('The time for the begin of items was over.');
  return answer.outcome;
}

function cutOrKilled({ reference, frame, nowMs }: ChunkJob, death: ThreadDeath): ChunkOutcome {
  const [first, last] = rangeOf(reference);
  if (last - first > 1) return splitChunk(reference, SPLIT_PARTS);
  const { name, message } = deathText(death.error);
  const error = Object.assign(new Error(message), { name });
  return unrunOutcome({ reference, ending: 'killed', error, nowMs, frame });
}

/** Creates one copy of the compressed bytes: the caller keeps its own, and every run reads the same copy. */
function toSharedMemory(frame: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(frame.length));
  copy.set(frame);
  return copy;
}

/**
 * Returns which item ended a thread: the one that ran alone, and was the first one called in it; undefined if no item can
 * be blamed. An item that merely was the only one in flight proves nothing: another may have left a timer, or filled the
 * memory. `atMs` is the service time.
 */
export function verdictOf({ items, stuck, error, status }: ThreadDeath, atMs: number): Verdict | undefined {
  const slot = items.indexOf(ALONE);
  if (slot < 0 || status.stop !== undefined) return undefined;
  return stuck ? { slot, atMs, kind: 'timedOut' } : { slot, atMs, kind: 'killed', error: deathText(error) };
}

const EXITED = /^worker exited with code: (-?\d+)$/;

/** Describes the death of a thread for the author of the handler. */
export function deathText(error: unknown): ErrorText {
  const text = toErrorText(error);
  if (errorCodeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY') {
    return { name: 'OutOfMemoryError', message: 'The handler used up the memory of its thread.' };
  }
  const exited = EXITED.exec(text.message);
  if (exited) return { name: 'ThreadExitError', message: `The handler ended its thread with exit code ${exited[1]}.` };
  return text;
}
