/** Copies of ended items, sent at intervals so that they survive the thread's death. They are never stored. */
import { joinBytes } from '../../outcome/encode/encode-outcome.ts';
import type { Copy, ItemEnd } from '../thread-task.ts';
import type { FreshEnd } from './item-ends.ts';
import type { OutcomeBuilder } from './outcome-builder.ts';

/** Interval between copies. Shorter runs send none, because their work is soon repeated. */
const COPY_EVERY_MS = 250;

/** Sends the items that have ended since the last copy when a copy is due, or immediately while `isEager`. */
export class Copier {
  isEager = false;
  readonly #builder: OutcomeBuilder;
  readonly #send: (copy: Copy) => void;
  #dueMs: number;

  constructor(builder: OutcomeBuilder, send: (copy: Copy) => void, startMs: number) {
    this.#builder = builder;
    this.#send = send;
    this.#dueMs = startMs + COPY_EVERY_MS;
  }

  /** Sends a copy if one is due. Called whenever an item may have ended. */
  check(nowMs: number): void {
    if (!this.isEager && nowMs < this.#dueMs) return;
    this.#dueMs = nowMs + COPY_EVERY_MS;
    const fresh = this.#builder.ends.takeFresh();
    if (fresh.length === 0) return;
    const error = this.#builder.latestError();
    this.#send({ ...toCopy(fresh), ...(error === undefined ? {} : { error }) });
  }
}

/** Encodes the lines one by one, into bytes outside of the heap: a single string of all lines could fill the heap. */
function toCopy(fresh: readonly FreshEnd[]): Copy {
  const lines = fresh.map(([, end]) => (end instanceof Uint8Array ? end : Buffer.from(end.line)));
  const ends = fresh.map(([slot, end], i): Copy['ends'][number] => {
    const length = lines[i]?.length ?? 0;
    if (end instanceof Uint8Array) return [slot, length];
    const { line: _line, ...other } = end;
    return [slot, length, other];
  });
  return { ends, bytes: joinBytes(lines) };
}

export function* readCopy({ ends, bytes }: Copy): Generator<readonly [slot: number, end: ItemEnd]> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 0;
  for (const [slot, length, other] of ends) {
    const line = text.toString('utf8', offset, offset + length);
    yield [slot, other === undefined ? line : { ...other, line }];
    offset += length;
  }
}
