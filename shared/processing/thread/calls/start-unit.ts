/** Begins the calls of one unit. Returns a promise only if the schema or the handler did: the common case is not awaited. */
import type { ItemContext, Workload } from '../../../workload/define.ts';
import { isPromise, validateItem } from '../../../workload/validate-item.ts';
import { itemOf, type Source } from '../../sources.ts';
import { enter } from '../thread-status.ts';
import type { AdmittedCall } from './admission.ts';
import { callGroup } from './call-group.ts';
import type { ChunkRun, Unit } from './chunk-run.ts';
import { Flight } from './flight.ts';
import { Context } from './item-context.ts';

type MapItem = NonNullable<Workload['map']>;

/** An item that is due this soon runs now: the clocks of machines and the service differ by fractions of a second. */
const DUE_SOON_MS = 1_000;

/**
 * Whether the handler of a workload returns promises, as observed in this thread. Calls of a synchronous handler get no
 * separate context: it costs a third of a microsecond (measured on Node 24), and such a call ends before anything that it
 * started can fail. One promise is enough, because other calls may be answered from a cache.
 */
const waits = new WeakMap<Workload, boolean>();

/** Returns whether calls of the handler return promises; undefined before the first call. */
export const isKnownToWait = (workload: Workload): boolean | undefined => waits.get(workload);

function noteWaiting(run: ChunkRun, isWaiting: boolean): void {
  run.isWaiting = isWaiting;
  waits.set(run.workload, isWaiting);
}

export const isGroup = (unit: Unit): unit is readonly Source[] => Array.isArray(unit);

/** Returns whether an item is not due yet, or the chunk's time is over. */
export function isPutOff({ startMs: nowMs, untilMs, builder }: ChunkRun, { retry }: Source): boolean {
  const isDue = retry?.notBefore === undefined || Date.parse(retry.notBefore) <= nowMs + DUE_SOON_MS;
  // Each run must advance at least one item. Otherwise, a chunk of slow items would be passed on indefinitely.
  return !isDue || (nowMs >= untilMs && builder.ends.progressed);
}

/** Records that an item is begun. One that is put off is passed on instead; then returns false. */
function begin(run: ChunkRun, source: Source): boolean {
  const { builder, task, isAlone } = run;
  const isBegun = !isPutOff(run, source);
  if (isBegun) enter(task.statusBuffer, builder.slotOf(source), isAlone);
  else builder.passOn(source, source.retry?.rerun);
  return isBegun;
}

/** Runs one item. Creates no closure, because it runs once per item. */
export function startItem(run: ChunkRun, source: Source, admitted?: AdmittedCall): Promise<void> | undefined {
  if (!begin(run, source)) return undefined;
  const flight = new Flight();
  try {
    const result =
      run.isWaiting === false
        ? callItem(run, source, flight, admitted)
        : flight.run(callItem, run, source, flight, admitted);
    // In the context of the flight: a lazy query begins only when it is awaited.
    if (isPromise(result)) return flight.run(endLater, run, source, flight, result);
    if (run.isWaiting === undefined) noteWaiting(run, false);
    run.builder.succeed(source, result);
  } catch (thrown) {
    run.builder.fail(source, thrown);
  }
  return undefined;
}

/**
 * Calls the handler for one item, and returns what it returned; a promise of it if the schema is asynchronous. Creates no
 * object and no closure for the synchronous case, because it runs once per item.
 * @throws the errors of the schema and of the handler
 */
function callItem(run: ChunkRun, source: Source, flight: Flight, admitted: AdmittedCall | undefined): unknown {
  const { workload } = run;
  const item = validateItem(workload.item, itemOf(source));
  const context = new Context(run, source, flight);
  const map = workload.map as MapItem;
  if (isPromise(item)) return callLater(item, context, map, flight, admitted);
  admitted?.begin(1);
  return map(item, context);
}

/** Waits for the validation. Does not call the handler after its time limit, or after the end of its chunk. */
async function callLater(
  item: PromiseLike<unknown>,
  context: ItemContext,
  map: MapItem,
  flight: Flight,
  admitted: AdmittedCall | undefined,
): Promise<unknown> {
  const valid = await item;
  if (flight.isAborted) return undefined;
  admitted?.begin(1);
  return map(valid, context);
}

/** Runs a group with one call of `mapChunk`. If the call fails, all of its items fail that have not ended. */
export function startGroup(
  run: ChunkRun,
  group: readonly Source[],
  admitted?: AdmittedCall,
): Promise<void> | undefined {
  const sources = group.filter((source) => !run.builder.hasEnded(source) && begin(run, source));
  if (sources.length === 0) return undefined;
  const flight = new Flight();
  try {
    const ended = flight.run(callGroup, run, sources, flight, admitted);
    if (ended) return flight.run(endLater, run, sources, flight, ended);
  } catch (thrown) {
    failRest(run, sources, thrown);
  }
  return undefined;
}

/** Waits for a call. A group has recorded its results when `result` is fulfilled. */
async function endLater(run: ChunkRun, unit: Unit, flight: Flight, result: PromiseLike<unknown>): Promise<void> {
  const { workload, builder, copier, flights, tools } = run;
  if (!run.isWaiting) noteWaiting(run, true);
  try {
    const output = await flight.within(result, { timeoutMs: workload.timeoutSeconds * 1_000, peers: flights });
    if (!isGroup(unit)) builder.succeed(unit, output);
  } catch (thrown) {
    if (flight.isSetAside(thrown)) run.setAside.push(unit);
    else if (!flight.isStopped) failRest(run, isGroup(unit) ? unit : [unit], thrown);
  } finally {
    copier.check(tools.nowMs());
  }
}

function failRest({ builder }: ChunkRun, sources: readonly Source[], thrown: unknown): void {
  for (const source of sources) if (!builder.hasEnded(source)) builder.fail(source, thrown);
}
