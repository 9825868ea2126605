import type { ItemContext, Workload } from '../../workload/define.ts';
import { TimeoutError } from '../outcome/error-text.ts';
import type { Source } from '../sources.ts';
import { LazyAbort } from './item-context.ts';
import type { OutcomeBuilder } from './outcome-builder.ts';
import { enter, type StatusBuffer } from './thread-status.ts';
import type { KnownFailure } from './thread-task.ts';
import { validItem } from './valid-item.ts';
import { isPromise, withinTime } from './within-time.ts';

/** Clocks of machines and service differ by parts of a second: an item due this soon runs now. */
const DUE_SOON_MS = 1_000;

/** What the items of one run share. */
export interface ChunkRun {
  workload: Workload;
  builder: OutcomeBuilder;
  statusBuffer: StatusBuffer;
  knownFailures: ReadonlyMap<number, KnownFailure>;
  timeoutMs: number;
  contextOf: (source: Source, abort: LazyAbort) => ItemContext;
  nowMs: () => number;
  /** Service time after which no further item is begun. */
  untilMs: number;
}

/** Handles what can be ended without running the item; false when it has to run. */
export function endWithoutRunning(run: ChunkRun, source: Source): boolean {
  const knownFailure = run.knownFailures.get(source.line);
  if (knownFailure?.kind === 'killed') run.builder.kill(source, knownFailure.error, knownFailure.atMs);
  else if (knownFailure) run.builder.fail(source, new TimeoutError(run.timeoutMs), knownFailure.atMs);
  else if (isNotDue(run, source) || isOverBudget(run)) run.builder.passOn(source);
  else return false;
  return true;
}

function isNotDue(run: ChunkRun, { retry }: Source): boolean {
  return retry?.notBefore !== undefined && Date.parse(retry.notBefore) > run.nowMs() + DUE_SOON_MS;
}

/** Each run brings some item further, or a chunk of slow items would be passed on for ever. */
const isOverBudget = (run: ChunkRun): boolean =>
  run.nowMs() >= run.untilMs && (run.builder.progressed || run.knownFailures.size > 0);

/** Runs one item by `map`. Returns a promise only if the schema or the handler did: the common case is not awaited. */
export function runItem(run: ChunkRun, source: Source, map: NonNullable<Workload['map']>): Promise<void> | undefined {
  enter(run.statusBuffer, source.line);
  if (endWithoutRunning(run, source)) return undefined;
  const abort = new LazyAbort();
  try {
    const item = validItem(run.workload.item, source);
    const context = run.contextOf(source, abort);
    const result = isPromise(item) ? item.then((valid) => map(valid, context)) : map(item, context);
    if (isPromise(result)) return recordWhenDone(run, source, withinTime(result, run.timeoutMs, abort));
    run.builder.succeed(source, result);
  } catch (thrown) {
    run.builder.fail(source, thrown);
  }
  return undefined;
}

async function recordWhenDone(run: ChunkRun, source: Source, pending: Promise<unknown>): Promise<void> {
  try {
    run.builder.succeed(source, await pending);
  } catch (thrown) {
    run.builder.fail(source, thrown);
  }
}
