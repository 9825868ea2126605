import type { Workload } from '../../../workload/define.ts';
import { isPromise, validateItem } from '../../../workload/validate-item.ts';
import { isInstance } from '../../outcome/error-text.ts';
import { itemOf, type Source } from '../../sources.ts';
import type { AdmittedCall } from './admission.ts';
import type { ChunkRun } from './chunk-run.ts';
import type { Flight } from './flight.ts';
import { Context } from './item-context.ts';

type Valid = [source: Source, item: unknown];

/**
 * Calls `mapChunk` for the valid items of a group, and ends each item with its result. If the call throws, times out or
 * returns a wrong number of results, the cause cannot be assigned to one item. Returns a promise only if the schema or the
 * handler did.
 */
export function callGroup(
  run: ChunkRun,
  sources: readonly Source[],
  flight: Flight,
  admitted: AdmittedCall | undefined,
): Promise<void> | undefined {
  const valid = validate(run, sources, flight);
  const callWith = (all: readonly Valid[]): Promise<void> | undefined => {
    if (all.length === 0 || flight.isAborted) return undefined;
    const items = all.map(([, item]) => item);
    const contexts = all.map(([source]) => new Context(run, source, flight));
    admitted?.begin(items.length);
    const answer = (run.workload.mapChunk as NonNullable<Workload['mapChunk']>)(items, contexts);
    const recordAll = (outputs: unknown): void => {
      const checked = checkLength(outputs, all.length);
      for (const [i, [source]] of all.entries()) record(run, source, { flight, output: checked[i] });
    };
    if (isPromise(answer)) return Promise.resolve(answer).then(recordAll);
    recordAll(answer);
    return undefined;
  };
  return isPromise(valid) ? valid.then(callWith) : callWith(valid);
}

/** Returns the valid items, and fails the others. Returns a promise if the schema is asynchronous. */
function validate(run: ChunkRun, sources: readonly Source[], flight: Flight): Valid[] | Promise<Valid[]> {
  const valid: Valid[] = [];
  const later: Promise<void>[] = [];
  const fail = (source: Source, thrown: unknown): void => {
    if (!flight.isAborted) run.builder.fail(source, thrown);
  };
  for (const source of sources) {
    const keep = (item: unknown): void => void valid.push([source, item]);
    try {
      const item = validateItem(run.workload.item, itemOf(source));
      if (!isPromise(item)) keep(item);
      else later.push(Promise.resolve(item).then(keep, (thrown: unknown) => fail(source, thrown)));
    } catch (thrown) {
      fail(source, thrown);
    }
  }
  if (later.length === 0) return valid;
  return Promise.all(later).then(() => valid.sort(([a], [b]) => a.line - b.line));
}

/** Records the result of one item. After a stop of the group, errors are ignored; after a cancellation, results too. */
function record(
  { builder, flights }: ChunkRun,
  source: Source,
  { flight, output }: { flight: Flight; output: unknown },
): void {
  if (flight.isAborted && !(flight.isStopped && flights.has(flight))) return;
  try {
    if (isInstance(output, Error)) throw output;
    builder.succeed(source, output);
  } catch (thrown) {
    if (!flight.isStopped) builder.fail(source, thrown);
  }
}

/**
 * Returns the results of a group.
 * @throws TypeError if there is not one for each of its items
 */
function checkLength(outputs: unknown, expected: number): unknown[] {
  if (Array.isArray(outputs) && outputs.length === expected) return outputs;
  const got = Array.isArray(outputs) ? `${outputs.length}` : typeof outputs;
  throw new TypeError(`mapChunk must return one result for each of its ${expected} items, got ${got}.`);
}
