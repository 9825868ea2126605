import type { Workload } from '../../../workload/define.ts';
import { isPromise } from '../../../workload/validate-item.ts';
import { isInstance } from '../../outcome/error-text.ts';
import type { Source } from '../../sources.ts';
import { enter } from '../thread-status.ts';
import type { AdmittedCall } from './admission.ts';
import { type ChunkRun, noteWaiting } from './chunk-run.ts';
import { Flight } from './flight.ts';
import { passedOn } from './run-item.ts';
import { validItem } from './valid-item.ts';

type MapChunk = NonNullable<Workload['mapChunk']>;
type Valid = [source: Source, item: unknown];

/** A running call of `mapChunk`. */
interface GroupCall {
  run: ChunkRun;
  sources: readonly Source[];
  mapChunk: MapChunk;
  flight: Flight;
  admitted: AdmittedCall | undefined;
}

/**
 * Runs a group with one call of `mapChunk` for its valid items. If the call throws, times out or returns a wrong number
 * of results, all of them fail for retry, because the cause cannot be assigned to one item. Returns a promise only if the
 * schema or the handler did.
 */
export function runGroup(
  run: ChunkRun,
  group: readonly Source[],
  mapChunk: MapChunk,
  admitted?: AdmittedCall,
): Promise<void> | undefined {
  const sources = group.filter((source) => !run.builder.hasEnded(source) && !passedOn(run, source));
  if (sources.length === 0) return undefined;
  const call: GroupCall = { run, sources, mapChunk, flight: new Flight(), admitted };
  for (const source of sources) enter(run.statusBuffer, run.builder.slotOf(source), run.isAlone);
  try {
    const valid = call.flight.run(validate, call);
    const ended = isPromise(valid) ? valid.then((all) => callAndRecord(call, all)) : callAndRecord(call, valid);
    if (isPromise(ended)) return call.flight.run(endLater, call, ended);
  } catch (thrown) {
    failRest(call, thrown);
  }
  return undefined;
}

async function endLater(call: GroupCall, ended: PromiseLike<void>): Promise<void> {
  const { run, sources, mapChunk, flight } = call;
  if (!run.isWaiting) noteWaiting(run, true);
  try {
    await flight.within(ended, { timeoutMs: run.timeoutMs, peers: run.flights });
  } catch (thrown) {
    if (flight.isSetAside(thrown))
      run.setAside.push({ sources, start: (again) => runGroup(run, sources, mapChunk, again) });
    else if (!flight.isStopped) failRest(call, thrown);
  } finally {
    run.copier.check(run.nowMs());
  }
}

/** Returns the valid items, and fails the others. Returns a promise if the schema is asynchronous. */
function validate({ run, sources, flight }: GroupCall): Valid[] | Promise<Valid[]> {
  const valid: Valid[] = [];
  const later: Promise<void>[] = [];
  const fail = (source: Source, thrown: unknown): void => {
    if (!flight.isAborted) run.builder.fail(source, thrown);
  };
  for (const source of sources) {
    const keep = (item: unknown): void => void valid.push([source, item]);
    try {
      const item = validItem(run.workload.item, source);
      if (!isPromise(item)) keep(item);
      else later.push(Promise.resolve(item).then(keep, (thrown: unknown) => fail(source, thrown)));
    } catch (thrown) {
      fail(source, thrown);
    }
  }
  if (later.length === 0) return valid;
  return Promise.all(later).then(() => valid.sort(([a], [b]) => a.line - b.line));
}

/** Calls the handler, unless no item of the group is left. Results that arrive after the end of the call are ignored. */
function callAndRecord(call: GroupCall, valid: readonly Valid[]): void | Promise<void> {
  const { run, mapChunk, flight, admitted } = call;
  if (valid.length === 0 || flight.isAborted) return undefined;
  const items = valid.map(([, item]) => item);
  const contexts = valid.map(([source]) => run.contextOf(source, flight));
  admitted?.begin(items.length);
  const answer = flight.run(mapChunk, items, contexts);
  const recordAll = (outputs: unknown): void => {
    const checked = checkLength(outputs, valid.length);
    for (const [i, [source]] of valid.entries()) record(call, source, checked[i]);
  };
  if (isPromise(answer)) return Promise.resolve(answer).then(recordAll);
  return recordAll(answer);
}

function failRest({ run, sources }: GroupCall, thrown: unknown): void {
  for (const source of sources) if (!run.builder.hasEnded(source)) run.builder.fail(source, thrown);
}

function checkLength(outputs: unknown, expected: number): unknown[] {
  if (Array.isArray(outputs) && outputs.length === expected) return outputs;
  const got = Array.isArray(outputs) ? `${outputs.length}` : typeof outputs;
  throw new TypeError(`mapChunk must return one result for each of its ${expected} items, got ${got}.`);
}

/**
 * Records the result of one item. After the group was asked to stop, its errors are ignored; after its call was
 * cancelled, its results are ignored as well.
 */
function record({ run, flight }: GroupCall, source: Source, output: unknown): void {
  if (flight.isAborted && !(flight.isStopped && run.flights.has(flight))) return;
  try {
    if (isInstance(output, Error)) throw output;
    run.builder.succeed(source, output);
  } catch (thrown) {
    if (!flight.isStopped) run.builder.fail(source, thrown);
  }
}

/** Converts `mapChunk` to a handler of one item, to find out which item of a group terminates its thread. */
export const toSingleItemMap =
  (mapChunk: MapChunk): NonNullable<Workload['map']> =>
  (item, context) => {
    const first = (outputs: unknown): unknown => {
      const [output] = checkLength(outputs, 1);
      if (isInstance(output, Error)) throw output;
      return output;
    };
    const answer = mapChunk([item], [context]);
    return isPromise(answer) ? answer.then(first) : first(answer);
  };
