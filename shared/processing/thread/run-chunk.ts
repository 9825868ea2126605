import { FrameError } from '../../contract/errors.ts';
import type { Workload } from '../../workload/define.ts';
import { endWholeChunk } from '../outcome/endings.ts';
import { readSources, type Source } from '../sources.ts';
import { type ContextTools, createContexts } from './item-context.ts';
import { type Chances, OutcomeBuilder } from './outcome-builder.ts';
import { type ChunkRun, runItem } from './run-item.ts';
import { runWhole, toSingleItemMap } from './run-whole.ts';
import { begin, enter, OUTSIDE } from './thread-status.ts';
import type { ChunkOutcome, ThreadTask } from './thread-task.ts';

/** What a run needs from its thread: a monotonic clock in milliseconds, jitter, and what handlers are given. */
export interface ThreadTools extends ContextTools {
  clockMs: () => number;
  random: () => number;
}

/** Runs a chunk from its frame to its outcome. Throws for no fault of a handler or an item. */
export async function runChunk(workload: Workload, task: ThreadTask, tools: ThreadTools): Promise<ChunkOutcome> {
  begin(task.statusBuffer, workload.timeoutSeconds * 1_000);
  const startMs = tools.clockMs();
  const nowMs = (): number => task.nowMs + tools.clockMs() - startMs;
  const outcome = await runOrEnd(workload, task, { ...tools, nowMs });
  outcome.header.handlerSeconds = (tools.clockMs() - startMs) / 1_000;
  return outcome;
}

async function runOrEnd(workload: Workload, task: ThreadTask, tools: Chances & ContextTools) {
  const { reference, nowMs } = task;
  try {
    const sources = readSources(reference, task.frame);
    return await runSources(workload, task, { sources, tools });
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
    return endWholeChunk({ reference, ending: 'digest', error, nowMs, version: reference.version });
  }
}

async function runSources(
  workload: Workload,
  task: ThreadTask,
  { sources, tools }: { sources: Source[]; tools: Chances & ContextTools },
): Promise<ChunkOutcome> {
  const builder = new OutcomeBuilder(workload, task.reference, tools);
  await runBy(
    workload,
    task.single,
    sources,
  )({
    workload,
    builder,
    statusBuffer: task.statusBuffer,
    knownFailures: new Map(task.knownFailures.map((knownFailure) => [knownFailure.line, knownFailure])),
    timeoutMs: workload.timeoutSeconds * 1_000,
    contextOf: createContexts(workload, task.reference, tools),
    nowMs: tools.nowMs,
    untilMs: task.nowMs + task.budgetMs,
  });
  enter(task.statusBuffer, OUTSIDE);
  return builder.encode();
}

function runBy({ map, mapChunk }: Workload, single: boolean, sources: Source[]): (run: ChunkRun) => Promise<void> {
  if (mapChunk && !single) return (run) => runWhole(run, sources, mapChunk);
  const one = mapChunk ? toSingleItemMap(mapChunk) : map;
  if (!one) throw new TypeError('A workload has either map or mapChunk.');
  return (run) => runEach(run, sources, one);
}

async function runEach(run: ChunkRun, sources: readonly Source[], map: NonNullable<Workload['map']>): Promise<void> {
  for (const source of sources) {
    const pending = runItem(run, source, map);
    if (pending) await pending;
  }
}
