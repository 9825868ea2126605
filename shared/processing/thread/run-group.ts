import type { Workload } from '../../workload/define.ts';
import { isInstance } from '../outcome/error-text.ts';
import type { Source } from '../sources.ts';
import type { ChunkRun } from './chunk-run.ts';
import { Flight, isPromise, SetAsideError } from './flight.ts';
import { passedOn } from './run-item.ts';
import { enter } from './thread-status.ts';
import { validItem } from './valid-item.ts';

type MapChunk = NonNullable<Workload['mapChunk']>;
type Valid = [source: Source, item: unknown];

/** The items of a chunk in groups of at most `maxItems`, in their order. */
export const groupsOf = (sources: readonly Source[], maxItems: number): Source[][] =>
  Array.from({ length: Math.ceil(sources.length / maxItems) }, (_, group) =>
    sources.slice(group * maxItems, (group + 1) * maxItems),
  );

/**
 * Runs a group by one call of `mapChunk` with its valid items. A throw, a timeout or an answer of the wrong length fails
 * all of them for retry: nobody can tell which one it was.
 */
export async function runGroup(run: ChunkRun, group: readonly Source[], mapChunk: MapChunk): Promise<void> {
  const sources = group.filter((source) => !run.builder.hasEnded(source) && !passedOn(run, source));
  if (sources.length === 0) return;
  const flight = new Flight();
  // At once: the first items are validated before anything is waited for.
  run.flights.add(flight);
  try {
    const work = flight.run(runValid, run, sources, { flight, mapChunk });
    await flight.within(work, { timeoutMs: run.timeoutMs, peers: run.flights });
  } catch (thrown) {
    if (thrown instanceof SetAsideError) run.setAside.push(() => runGroup(run, sources, mapChunk));
    else if (!flight.isStopped) failRest(run, sources, thrown);
  } finally {
    run.copier.check(run.nowMs());
  }
}

async function runValid(
  run: ChunkRun,
  sources: readonly Source[],
  { flight, mapChunk }: { flight: Flight; mapChunk: MapChunk },
): Promise<void> {
  const valid = await validate(run, sources, flight);
  if (valid.length === 0) return;
  const contexts = valid.map(([source]) => run.contextOf(source, flight));
  const answer = await mapChunk(
    valid.map(([, item]) => item),
    contexts,
  );
  if (hasBeenGivenUp(run, flight)) return;
  const outputs = checkLength(answer, valid.length);
  for (const [i, [source]] of valid.entries()) record(run, source, outputs[i]);
}

/** Whatever comes after the end of the wait counts for nothing. */
const hasBeenGivenUp = (run: ChunkRun, flight: Flight): boolean => !run.flights.has(flight);

async function validate(run: ChunkRun, sources: readonly Source[], flight: Flight): Promise<Valid[]> {
  const valid: Valid[] = [];
  for (const source of sources) enter(run.statusBuffer, run.builder.slotOf(source));
  for (const source of sources) {
    try {
      const item = validItem(run.workload.item, source);
      valid.push([source, isPromise(item) ? await item : item]);
    } catch (thrown) {
      if (!hasBeenGivenUp(run, flight)) run.builder.fail(source, thrown);
    }
    if (hasBeenGivenUp(run, flight)) return [];
  }
  return valid;
}

function failRest(run: ChunkRun, sources: readonly Source[], thrown: unknown): void {
  for (const source of sources) if (!run.builder.hasEnded(source)) run.builder.fail(source, thrown);
}

function checkLength(outputs: unknown, expected: number): unknown[] {
  if (Array.isArray(outputs) && outputs.length === expected) return outputs;
  const got = Array.isArray(outputs) ? `${outputs.length}` : typeof outputs;
  throw new TypeError(`mapChunk must return one result for each of its ${expected} items, got ${got}.`);
}

function record(run: ChunkRun, source: Source, output: unknown): void {
  try {
    if (isInstance(output, Error)) throw output;
    run.builder.succeed(source, output);
  } catch (thrown) {
    run.builder.fail(source, thrown);
  }
}

/** `mapChunk` as a handler of one item, to find out which item of a group ends its thread. */
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
