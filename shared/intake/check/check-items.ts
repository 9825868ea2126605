/** Validates records before they become a batch. */
import { causeOf, countCause } from '../../contract/cause.ts';
import { runsOf } from '../../contract/line-steps.ts';
import type { UploadFormat } from '../../contract/upload-kinds.ts';
import { toError, type UploadPosition } from '../../errors.ts';
import { Turns } from '../../turns.ts';
import type { Workload } from '../../workload/define.ts';
import { InvalidItem, validateItemSafely } from '../../workload/validate-item.ts';
import type { RawChunk } from '../chunk-records.ts';
import { columnOfValue } from './value-column.ts';

/** Maximum number of faults that are kept per upload. */
const MAX_FAULTS = 100;
const MAX_EXAMPLES = 3;
const MAX_MESSAGE_CHARS = 500;
/** Records validated before other work of the process can run: a few milliseconds with a schema of twenty fields. */
const GROUP = { records: 200, bytes: 256 * 1024 };

/**
 * A record that does not match the schema. `path` is that of its first issue, as in a dead letter; absent for the whole
 * item.
 */
export interface ItemFault extends UploadPosition {
  path?: string;
}

/** Records with the same cause, grouped as dead letters are; `examples` are the first of them. */
export interface CheckCause {
  cause: string;
  count: number;
  examples: ItemFault[];
}

/** Results of the validation so far. */
export interface ItemCheck {
  /**
   * Validates at most `limit` records of a chunk (default: all), and lets other work of the process run in between. Never
   * rejects: an error that the schema itself throws counts as an invalid item.
   */
  add(chunk: RawChunk, limit?: number): Promise<void>;
  readonly valid: number;
  readonly invalid: number;
  /** The first MAX_FAULTS faults, by line. */
  readonly faults: readonly ItemFault[];
  /** Causes, most frequent first. */
  causes(): CheckCause[];
}

/** Creates a check for the records of an upload in this format. */
export function createItemCheck(workload: Pick<Workload, 'item'>, format: UploadFormat): ItemCheck {
  const counts = new Map<string, number>();
  const examples = new Map<string, ItemFault[]>();
  const faults: ItemFault[] = [];
  const turns = new Turns();
  let [valid, invalid] = [0, 0];

  const refuse = (thrown: unknown, text: string, line: number): void => {
    invalid++;
    const { cause, ...fault } = faultOf(thrown, { text, line, format });
    countCause(counts, cause);
    if (faults.length < MAX_FAULTS) faults.push(fault);
    const known = examples.get(cause) ?? [];
    if (known.length < MAX_EXAMPLES && counts.has(cause)) examples.set(cause, [...known, fault]);
  };
  const check = async (text: string): Promise<unknown> => {
    try {
      await validateItemSafely(workload.item, JSON.parse(text));
      return undefined;
    } catch (thrown) {
      return toError(thrown);
    }
  };
  /** Validates records concurrently, because a schema may be asynchronous. */
  const validate = async (records: readonly Rec[]): Promise<void> => {
    const thrown = await Promise.all(records.map(({ text }) => check(text)));
    for (const [index, { text, line }] of records.entries()) {
      if (thrown[index] === undefined) valid++;
      else refuse(thrown[index], text, line);
    }
  };
  return {
    async add(chunk, limit = chunk.items) {
      for (const records of recordGroups(chunk, limit)) {
        await validate(records);
        await turns.next();
      }
    },
    get valid() {
      return valid;
    },
    get invalid() {
      return invalid;
    },
    faults,
    causes: () =>
      [...counts]
        .map(([cause, count]) => ({ cause, count, examples: examples.get(cause) ?? [] }))
        .sort((a, b) => b.count - a.count),
  };
}

/** A record and the line of the upload on which it begins. */
interface Rec {
  text: string;
  line: number;
}

function* recordGroups(chunk: RawChunk, limit: number): Generator<Rec[]> {
  const lines = linesOf(chunk);
  let records: Rec[] = [];
  let bytes = 0;
  let start = 0;
  for (let item = 0; item < Math.min(limit, chunk.items); item++) {
    const end = chunk.bytes.indexOf(0x0a, start);
    records.push({ text: chunk.bytes.toString('utf8', start, end), line: lines.next().value ?? chunk.firstLine });
    bytes += end - start;
    start = end + 1;
    if (records.length < GROUP.records && bytes < GROUP.bytes) continue;
    yield records;
    records = [];
    bytes = 0;
  }
  if (records.length > 0) yield records;
}

function* linesOf({ firstLine, lines }: RawChunk): Generator<number, undefined> {
  let line = firstLine;
  yield line;
  for (const [times, step] of runsOf(lines)) {
    for (let n = 0; n < times; n++) {
      line += step;
      yield line;
    }
  }
}

interface Place {
  text: string;
  line: number;
  format: UploadFormat;
}

function faultOf(thrown: unknown, { text, line, format }: Place): ItemFault & { cause: string } {
  const error = toError(thrown);
  const message = error.message.slice(0, MAX_MESSAGE_CHARS);
  const cause = causeOf('invalid', { name: error.name, message: error.message });
  if (!(error instanceof InvalidItem)) return { cause, line, message };
  // In other formats the text of the record differs from the text of the upload.
  const column = format === 'ndjson' ? { column: columnOfValue(text, error.firstPath) } : {};
  const path = error.issues[0]?.path ?? '';
  return { cause, line, ...column, ...(path === '' ? {} : { path }), message };
}
