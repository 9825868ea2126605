import { causeOf, countCause } from '../../contract/cause.ts';
import { runsOf } from '../../contract/line-steps.ts';
import { toError, type UploadPosition } from '../../errors.ts';
import { Turns } from '../../turns.ts';
import type { Workload } from '../../workload/define.ts';
import { InvalidItem, validateItemSafely } from '../../workload/validate-item.ts';
import type { RawChunk } from '../chunk-records.ts';

const MAX_FAULTS = 100;
const MAX_EXAMPLES = 3;
const MAX_MESSAGE_CHARS = 500;
/** Records validated before other work of the process can run: a few milliseconds with a schema of twenty fields. */
const GROUP = { records: 200, bytes: 256 * 1024 };

/** A record that does not match the schema; `path`, of its first issue, is absent for the whole item. */
export interface ItemFault extends UploadPosition {
  path?: string;
}

/** Records with the same cause, grouped as dead letters are; `examples` are the first of them. */
export interface CheckCause {
  cause: string;
  count: number;
  examples: ItemFault[];
}

export class ItemCheck {
  valid = 0;
  invalid = 0;
  /** The first MAX_FAULTS faults, by line. */
  readonly faults: ItemFault[] = [];
  readonly #schema: Workload['item'];
  readonly #counts = new Map<string, number>();
  readonly #examples = new Map<string, ItemFault[]>();
  readonly #turns = new Turns();

  constructor({ item }: Pick<Workload, 'item'>) {
    this.#schema = item;
  }

  /** Validates at most `limit` records (default: all). Never rejects: errors of the schema count as invalid. */
  async add(chunk: RawChunk, limit = chunk.items): Promise<void> {
    for (const records of recordGroups(chunk, limit)) {
      // Concurrently, because a schema may be asynchronous.
      const thrown = await Promise.all(records.map(({ text }) => this.#errorOf(text)));
      for (const [index, { line }] of records.entries()) this.#count(thrown[index], line);
      await this.#turns.next();
    }
  }

  causes(): CheckCause[] {
    return [...this.#counts]
      .map(([cause, count]) => ({ cause, count, examples: this.#examples.get(cause) ?? [] }))
      .sort((a, b) => b.count - a.count);
  }

  async #errorOf(text: string): Promise<Error | undefined> {
    try {
      await validateItemSafely(this.#schema, JSON.parse(text));
      return undefined;
    } catch (thrown) {
      return toError(thrown);
    }
  }

  #count(error: Error | undefined, line: number): void {
    if (error === undefined) {
      this.valid++;
      return;
    }
    this.invalid++;
    const { name, message } = error;
    const cause = causeOf('invalid', { name, message });
    countCause(this.#counts, cause);
    const path = error instanceof InvalidItem ? (error.issues[0]?.path ?? '') : '';
    const fault = { line, ...(path === '' ? {} : { path }), message: message.slice(0, MAX_MESSAGE_CHARS) };
    if (this.faults.length < MAX_FAULTS) this.faults.push(fault);
    const known = this.#examples.get(cause) ?? [];
    if (known.length < MAX_EXAMPLES && this.#counts.has(cause)) this.#examples.set(cause, [...known, fault]);
  }
}

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
