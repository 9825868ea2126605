import { FrameError } from '../../contract/errors.ts';
import { groupsOf } from '../../groups-of.ts';
import type { Workload } from '../../workload/define.ts';
import type { ChunkOutcome } from '../outcome/encode/encode-outcome.ts';
import { unrunOutcome } from '../outcome/unrun-outcomes.ts';
import { readSources, type Source, type Sources } from '../sources.ts';
import { Admission } from './calls/admission.ts';
import { type ChunkRun, isKnownToWait, type SetAside, withPulse } from './calls/chunk-run.ts';
import { type ContextTools, createContexts } from './calls/item-context.ts';
import { runGroup, toSingleItemMap } from './calls/run-group.ts';
import { runItem } from './calls/run-item.ts';
import { runUnits, type Units } from './calls/run-units.ts';
import { Copier } from './outcome/copies.ts';
import { type Chances, OutcomeBuilder, type Throttle } from './outcome/outcome-builder.ts';
import { salvage } from './outcome/salvage.ts';
import { begin, countCopy, NOT_BEGUN, setRunning, stopOf } from './thread-status.ts';
import type { Copy, ThreadTask } from './thread-task.ts';

/**
 * The tools that a run needs from its thread: a monotonic clock in milliseconds, random numbers for jitter, and the parts
 * of contexts.
 */
export interface ThreadTools extends ContextTools {
  clockMs: () => number;
  random: () => number;
  /** Sends copies of ended items to a place that survives the thread. If absent, there is no such place. */
  sendCopy?: (copy: Copy) => void;
  /** Ends this thread, so that the chunk runs in a fresh one. If absent, it is fresh, or there is no other. */
  renew?: (() => void) | undefined;
}

type RunTools = ThreadTools & Chances;

/** Runs a chunk from its frame to its outcome. Never throws because of an error of a handler or an item. */
export async function runChunk(workload: Workload, task: ThreadTask, tools: ThreadTools): Promise<ChunkOutcome> {
  begin(task.statusBuffer, workload.timeoutSeconds * 1_000);
  const startMs = tools.clockMs();
  const nowMs = (): number => task.nowMs + tools.clockMs() - startMs;
  const outcome = await runOrEnd(workload, task, { ...tools, nowMs });
  outcome.header.handlerSeconds = (tools.clockMs() - startMs) / 1_000;
  return outcome;
}

async function runOrEnd(workload: Workload, task: ThreadTask, tools: RunTools): Promise<ChunkOutcome> {
  const { reference, nowMs } = task;
  try {
    const sources = readSources(reference, task.frame);
    // An item that must run alone needs a fresh thread: traces of earlier calls must not end the thread during its run.
    const needsFresh = !task.remains && !task.acceptsUsed && sources.marked('alone').length > 0;
    if (needsFresh) tools.renew?.();
    const chances = { nowMs: tools.nowMs, random: tools.random };
    const states = task.statusBuffer.items;
    const { permits } = task;
    const admission = permits && new Admission(permits, tools.clockMs);
    const throttle = throttleOf(workload, task, admission);
    const builder = new OutcomeBuilder({ workload, sources, version: reference.version, chances, states, throttle });
    if (task.remains) salvage(builder, { remains: task.remains, timeoutMs: workload.timeoutSeconds * 1_000 });
    else await runSources(sources, toRun(workload, task, { builder, tools, admission }), tools.renew === undefined);
    const isCancelled = stopOf(task.statusBuffer) === 'cancelled';
    endRest(builder, isCancelled);
    sources.release();
    const waited = admission && { waitedSeconds: admission.waitedSeconds };
    return { ...builder.encode({ isCancelled }), ...waited };
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
    return unrunOutcome({ reference, ending: 'digest', error, nowMs, version: reference.version });
  }
}

function toRun(
  workload: Workload,
  task: ThreadTask,
  { builder, tools, admission }: { builder: OutcomeBuilder; tools: RunTools; admission: Admission | undefined },
): ChunkRun {
  const { statusBuffer, reference, beginUntilMs = Number.POSITIVE_INFINITY } = task;
  const deadlineAt = deadlineOf(workload, task);
  const send = (copy: Copy): void => {
    countCopy(statusBuffer);
    tools.sendCopy?.(copy);
  };
  return {
    workload,
    builder,
    copier: new Copier(builder, { send, startMs: task.nowMs }),
    statusBuffer,
    timeoutMs: workload.timeoutSeconds * 1_000,
    contextOf: createContexts(workload, reference, { deadlineAt, tools }),
    nowMs: tools.nowMs,
    startMs: task.nowMs,
    untilMs: task.nowMs + Math.min(task.budgetMs, beginUntilMs - tools.clockMs()),
    flights: new Set(),
    isAlone: false,
    setAside: [],
    admission,
    isWaiting: isKnownToWait(workload),
  };
}

const deadlineOf = ({ deadlineSeconds }: Workload, { deadlineAt, nowMs }: ThreadTask): string =>
  deadlineAt ?? new Date(nowMs + deadlineSeconds * 1_000).toISOString();

/** Returns how `Retry` with `after` is handled for a workload with a rate limit: until the deadline, calls slow down. */
function throttleOf(workload: Workload, task: ThreadTask, admission: Admission | undefined): Throttle | undefined {
  if (workload.rateLimit === undefined) return undefined;
  const report = (afterMs: number): void => admission?.reportThrottled(afterMs);
  return { untilMs: Date.parse(deadlineOf(workload, task)), report };
}

/**
 * First runs, one at a time, the items that were in flight when a thread died. Items whose end was lost come next. Both
 * are copied as soon as they end, so that they do not run a third time.
 */
async function runSources(sources: Sources, run: ChunkRun, isFresh: boolean): Promise<void> {
  setRunning(run.statusBuffer, true);
  await withPulse(run, async () => {
    run.copier.isEager = true;
    await runAlone(run, sources.marked('alone'), isFresh);
    await runAll(run, sources.marked('careful'));
    run.copier.isEager = false;
    await runAll(run, sources.unmarked());
    const { setAside } = run;
    const sourcesOf = (unit: SetAside): readonly Source[] => unit.sources;
    await runUnits(run, { limit: 1, units: setAside, sourcesOf, start: (unit, admitted) => unit.start(admitted) });
  });
  setRunning(run.statusBuffer, false);
}

/**
 * Runs items one at a time. If the thread dies, only the first one that is called in it is surely the cause: before the
 * others, an earlier one may have left a timer, or filled the memory. A later one that is in flight then is the first
 * one of the retry chunk. A thread for each of them would cost a start per item that was in flight.
 */
async function runAlone(run: ChunkRun, sources: readonly Source[], isFresh: boolean): Promise<void> {
  run.isAlone = isFresh;
  for (const source of sources) {
    await runAll(run, [source], { limit: 1, isGrouped: false });
    if (run.statusBuffer.items[run.builder.slotOf(source)] !== NOT_BEGUN) run.isAlone = false;
  }
  run.isAlone = false;
}

function runAll(
  run: ChunkRun,
  sources: Iterable<Source>,
  { limit = run.workload.concurrency, isGrouped = true } = {},
): Promise<void> {
  const { mapChunk, group } = run.workload;
  if (mapChunk && isGrouped) {
    const units = groupsOf(sources, group.maxItems);
    const sourcesOf = (unit: readonly Source[]): readonly Source[] => unit;
    const start: Units<Source[]>['start'] = (unit, admitted) => runGroup(run, unit, mapChunk, admitted);
    return runUnits(run, { limit, units, sourcesOf, start });
  }
  const map = singleMap(run.workload);
  const start: Units<Source>['start'] = (source, admitted) => runItem(run, source, map, admitted);
  return runUnits(run, { limit, units: sources, sourcesOf: (source) => [source], start });
}

function singleMap({ map, mapChunk }: Workload): NonNullable<Workload['map']> {
  const single = map ?? (mapChunk && toSingleItemMap(mapChunk));
  if (single === undefined) throw new TypeError('A workload has either map or mapChunk.');
  return single;
}

/** Ends the remaining items of a chunk: cancels them with their batch, or passes them on. */
function endRest(builder: OutcomeBuilder, isCancelled: boolean): void {
  for (const source of builder.rest()) {
    if (isCancelled) builder.cancel(source);
    else builder.passOn(source, source.retry?.rerun);
  }
}
