import type { ItemContext, Workload } from '../../../workload/define.ts';
import { isPromise } from '../../../workload/validate-item.ts';
import type { Source } from '../../sources.ts';
import { enter } from '../thread-status.ts';
import type { AdmittedCall } from './admission.ts';
import { type ChunkRun, noteWaiting } from './chunk-run.ts';
import { Flight } from './flight.ts';
import { validItem } from './valid-item.ts';

type MapItem = NonNullable<Workload['map']>;

/** An item that is due this soon runs now: the clocks of machines and the service differ by fractions of a second. */
const DUE_SOON_MS = 1_000;

/** Returns whether an item is not due yet, or the chunk's time is over. */
export function isPutOff({ startMs: nowMs, untilMs, builder }: ChunkRun, { retry }: Source): boolean {
  const isDue = retry?.notBefore === undefined || Date.parse(retry.notBefore) <= nowMs + DUE_SOON_MS;
  // Each run must advance at least one item. Otherwise, a chunk of slow items would be passed on indefinitely.
  return !isDue || (nowMs >= untilMs && builder.progressed);
}

/** Passes on an item that is put off; returns false if the item must run. */
export function passedOn(run: ChunkRun, source: Source): boolean {
  if (!isPutOff(run, source)) return false;
  run.builder.passOn(source, source.retry?.rerun);
  return true;
}

/** Runs one item with `map`. Returns a promise only if the schema or the handler did: the common case is not awaited. */
export function runItem(
  run: ChunkRun,
  source: Source,
  map: MapItem,
  admitted?: AdmittedCall,
): Promise<void> | undefined {
  if (passedOn(run, source)) return undefined;
  const flight = new Flight();
  const { builder } = run;
  enter(run.statusBuffer, builder.slotOf(source), run.isAlone);
  try {
    const result =
      run.isWaiting === false
        ? call(run, source, map, flight, admitted)
        : flight.run(call, run, source, map, flight, admitted);
    // In the context of the flight: a lazy query begins only when it is awaited.
    if (isPromise(result)) return flight.run(endLater, run, source, { flight, result, map });
    if (run.isWaiting === undefined) noteWaiting(run, false);
    builder.succeed(source, result);
  } catch (thrown) {
    builder.fail(source, thrown);
  }
  return undefined;
}

/** Creates no object and no closure for the synchronous case, because it runs once per item. */
function call(
  run: ChunkRun,
  source: Source,
  map: MapItem,
  flight: Flight,
  admitted: AdmittedCall | undefined,
): unknown {
  const item = validItem(run.workload.item, source);
  const context = run.contextOf(source, flight);
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

async function endLater(
  run: ChunkRun,
  source: Source,
  { flight, result, map }: { flight: Flight; result: PromiseLike<unknown>; map: MapItem },
): Promise<void> {
  if (!run.isWaiting) noteWaiting(run, true);
  try {
    run.builder.succeed(source, await flight.within(result, { timeoutMs: run.timeoutMs, peers: run.flights }));
  } catch (thrown) {
    if (flight.isSetAside(thrown))
      run.setAside.push({ sources: [source], start: (admitted) => runItem(run, source, map, admitted) });
    else if (!flight.isStopped) run.builder.fail(source, thrown);
  } finally {
    run.copier.check(run.nowMs());
  }
}
