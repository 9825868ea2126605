import { FrameError } from '../../contract/errors.ts';
import { groupsOf } from '../../groups-of.ts';
import type { Workload } from '../../workload/define.ts';
import type { ChunkOutcome } from '../outcome/encode/encode-outcome.ts';
import { TimeoutError } from '../outcome/error-text.ts';
import { unrunOutcome } from '../outcome/unrun-outcomes.ts';
import { readSources, type Source, type Sources } from '../sources.ts';
import { Admission } from './calls/admission.ts';
import { type ChunkRun, startPulse, type Unit } from './calls/chunk-run.ts';
import type { ContextTools } from './calls/item-context.ts';
import { runUnits } from './calls/run-units.ts';
import { isKnownToWait } from './calls/start-unit.ts';
import { Copier, readCopy } from './outcome/copies.ts';
import { OutcomeBuilder } from './outcome/outcome-builder.ts';
import { begin, countCopy, isInFlight, NOT_BEGUN, setRunning, stopOf } from './thread-status.ts';
import type { Copy, Remains, ThreadTask } from './thread-task.ts';

/** The tools of a run: a monotonic clock in milliseconds, random numbers for jitter, and the parts of contexts. */
export interface ThreadTools extends ContextTools {
  clockMs: () => number;
  random: () => number;
  /** Sends copies of ended items to a place that survives the thread. If absent, there is no such place. */
  sendCopy?: (copy: Copy) => void;
  /** Ends this thread, so that the chunk runs in a fresh one. If absent, it is fresh, or there is no other. */
  renew?: (() => void) | undefined;
}

/** Runs a chunk from its frame to its outcome. Never throws because of an error of a handler or an item. */
export async function runChunk(workload: Workload, task: ThreadTask, tools: ThreadTools): Promise<ChunkOutcome> {
  const { reference, remains, statusBuffer, permits } = task;
  const timeoutMs = workload.timeoutSeconds * 1_000;
  begin(statusBuffer, timeoutMs);
  const startMs = tools.clockMs();
  const nowMs = (): number => task.nowMs + tools.clockMs() - startMs;
  let outcome: ChunkOutcome;
  try {
    const sources = readSources(reference, task.frame);
    // An item that must run alone needs a fresh thread: traces of earlier calls must not end the thread during its run.
    if (!remains && !task.acceptsUsed && sources.marked('alone').length > 0) tools.renew?.();
    const admission = permits && new Admission(permits, tools.clockMs);
    const builder = new OutcomeBuilder({ workload, task, sources, nowMs, random: tools.random });
    if (remains) salvage(builder, { remains, timeoutMs });
    else {
      const run = toRun(workload, task, { builder, tools: { ...tools, nowMs }, admission });
      await runSources(sources, run, tools.renew === undefined);
    }
    const isCancelled = stopOf(statusBuffer) === 'cancelled';
    endRest(builder, isCancelled);
    sources.release();
    outcome = { ...builder.encode({ isCancelled }), ...(admission && { waitedSeconds: admission.waitedSeconds }) };
  } catch (error) {
    if (!(error instanceof FrameError)) throw error;
    outcome = unrunOutcome({ reference, ending: 'digest', error, nowMs: task.nowMs });
  }
  outcome.header.handlerSeconds = (tools.clockMs() - startMs) / 1_000;
  return outcome;
}

function toRun(
  workload: Workload,
  task: ThreadTask,
  { builder, tools, admission }: Pick<ChunkRun, 'builder' | 'admission'> & { tools: ThreadTools & ChunkRun['tools'] },
): ChunkRun {
  const { statusBuffer, nowMs: startMs, budgetMs, beginUntilMs = Number.POSITIVE_INFINITY } = task;
  const send = (copy: Copy): void => {
    countCopy(statusBuffer);
    tools.sendCopy?.(copy);
  };
  return {
    ...{ workload, task, tools, builder, admission },
    copier: new Copier(builder, send, startMs),
    untilMs: startMs + Math.min(budgetMs, beginUntilMs - tools.clockMs()),
    flights: new Set(),
    setAside: [],
    startMs,
    isAlone: false,
    isWaiting: isKnownToWait(workload),
  };
}

/**
 * First runs, one at a time, the items that were in flight when a thread died. Items whose end was lost come next. Both
 * are copied as soon as they end, so that they do not run a third time.
 *
 * If the thread dies, only the first item that is called in it is surely the cause: before the others, an earlier one may
 * have left a timer, or filled the memory. A later one that is in flight then is the first one of the retry chunk. A
 * thread for each of them would cost a start per item that was in flight.
 */
async function runSources(sources: Sources, run: ChunkRun, isFresh: boolean): Promise<void> {
  const { workload, task, builder, copier } = run;
  setRunning(task.statusBuffer, true);
  const endPulse = startPulse(run);
  try {
    copier.isEager = true;
    run.isAlone = isFresh;
    for (const source of sources.marked('alone')) {
      await runUnits(run, unitsOf(workload, [source]), 1);
      if (task.statusBuffer.items[builder.slotOf(source)] !== NOT_BEGUN) run.isAlone = false;
    }
    run.isAlone = false;
    await runUnits(run, unitsOf(workload, sources.marked('careful')), workload.concurrency);
    copier.isEager = false;
    await runUnits(run, unitsOf(workload, sources.unmarked()), workload.concurrency);
    await runUnits(run, run.setAside, 1);
  } finally {
    endPulse();
  }
  setRunning(task.statusBuffer, false);
}

const unitsOf = ({ mapChunk, group }: Workload, sources: Iterable<Source>): Iterable<Unit> =>
  mapChunk ? groupsOf(sources, group.maxItems) : sources;

/**
 * Creates the end of a chunk whose thread has died, without a call of its handler. Copied items keep their ends. The item
 * that ran alone is charged. Items in flight are passed on and will run alone; items whose end was lost are passed on and
 * will run again. Neither of these is charged.
 */
function salvage(
  builder: OutcomeBuilder,
  { remains: { items, copies, verdict }, timeoutMs }: { remains: Remains; timeoutMs: number },
): void {
  for (const copy of copies) for (const [slot, ended] of readCopy(copy)) builder.restore(slot, ended);
  for (const source of builder.rest()) {
    const slot = builder.slotOf(source);
    if (slot === verdict?.slot) {
      if (verdict.kind === 'killed') builder.kill(source, verdict.error, verdict.atMs);
      // Alone, because its next attempt would again terminate the thread of other items.
      else builder.fail(source, new TimeoutError(timeoutMs), { atMs: verdict.atMs, rerun: 'alone' });
    } else if (isInFlight(items[slot])) builder.passOn(source, 'alone');
    else if (items[slot] !== NOT_BEGUN) builder.passOn(source, source.retry?.rerun ?? 'careful');
  }
}

/** Ends the remaining items of a chunk: cancels them with their batch, or passes them on. */
function endRest(builder: OutcomeBuilder, isCancelled: boolean): void {
  for (const source of builder.rest()) {
    if (isCancelled) builder.cancel(source);
    else builder.passOn(source, source.retry?.rerun);
  }
}
