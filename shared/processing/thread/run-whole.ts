import type { Workload } from '../../workload/define.ts';
import type { Source } from '../sources.ts';
import { LazyAbort } from './item-context.ts';
import { type ChunkRun, endWithoutRunning } from './run-item.ts';
import { enter, WHOLE_CHUNK } from './thread-status.ts';
import { validItem } from './valid-item.ts';
import { isPromise, withinTime } from './within-time.ts';

type MapChunk = NonNullable<Workload['mapChunk']>;
type Valid = [source: Source, item: unknown];

/**
 * Runs a chunk by one call of `mapChunk` with the valid items. A throw, a timeout or an answer of the wrong length fails
 * all of them for retry: nobody can tell which one it was.
 */
export async function runWhole(run: ChunkRun, sources: readonly Source[], mapChunk: MapChunk): Promise<void> {
  const valid = await validate(run, sources);
  if (valid.length === 0) return;
  enter(run.statusBuffer, WHOLE_CHUNK);
  const outputs = await outputsOf(run, valid, mapChunk);
  for (const [i, [source]] of valid.entries()) {
    enter(run.statusBuffer, source.line);
    recordOutput(run, source, outputs instanceof Failed ? outputs.error : outputs[i]);
  }
}

async function validate(run: ChunkRun, sources: readonly Source[]): Promise<Valid[]> {
  const valid: Valid[] = [];
  for (const source of sources) {
    enter(run.statusBuffer, source.line);
    if (endWithoutRunning(run, source)) continue;
    try {
      const item = validItem(run.workload.item, source);
      valid.push([source, isPromise(item) ? await withinTime(item, run.timeoutMs, new LazyAbort()) : item]);
    } catch (thrown) {
      run.builder.fail(source, thrown);
    }
  }
  return valid;
}

class Failed {
  readonly error: Error;
  constructor(thrown: unknown) {
    this.error = thrown instanceof Error ? thrown : new Error(String(thrown));
  }
}

async function outputsOf(run: ChunkRun, valid: readonly Valid[], mapChunk: MapChunk): Promise<unknown[] | Failed> {
  const abort = new LazyAbort();
  const contexts = valid.map(([source]) => run.contextOf(source, abort));
  const items = valid.map(([, item]) => item);
  try {
    const answer = mapChunk(items, contexts);
    return checkLength(isPromise(answer) ? await withinTime(answer, run.timeoutMs, abort) : answer, valid.length);
  } catch (thrown) {
    return new Failed(thrown);
  }
}

function checkLength(outputs: unknown, expected: number): unknown[] {
  if (Array.isArray(outputs) && outputs.length === expected) return outputs;
  const got = Array.isArray(outputs) ? `${outputs.length}` : typeof outputs;
  throw new TypeError(`mapChunk must return one result for each of its ${expected} items, got ${got}.`);
}

function recordOutput(run: ChunkRun, source: Source, output: unknown): void {
  try {
    if (output instanceof Error) throw output;
    run.builder.succeed(source, output);
  } catch (thrown) {
    run.builder.fail(source, thrown);
  }
}

/** `mapChunk` as a handler of one item, to find out which item of a chunk ends its thread. */
export const toSingleItemMap =
  (mapChunk: MapChunk): NonNullable<Workload['map']> =>
  (item, context) => {
    const first = (outputs: unknown): unknown => {
      const [output] = checkLength(outputs, 1);
      if (output instanceof Error) throw output;
      return output;
    };
    const answer = mapChunk([item], [context]);
    return isPromise(answer) ? answer.then(first) : first(answer);
  };
