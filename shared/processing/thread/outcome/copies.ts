/**
 * Copies of ended items: while a chunk runs for longer, they leave the thread from time to time, so that its death does
 * not take them. The main thread keeps the bytes unread; they are never stored on their own.
 */
import { joinBytes } from '../../outcome/encode/join-bytes.ts';
import type { Copy, EndedItem } from '../thread-task.ts';
import type { FreshEnd } from './ended-items.ts';
import type { OutcomeBuilder } from './outcome-builder.ts';

/** Quick chunks send none: what they have done is soon done again. */
const COPY_EVERY_MS = 250;

/** Sends what has ended since the last copy when its time has come, or at once while `isEager`. */
export class Copier {
  isEager = false;
  readonly #builder: Pick<OutcomeBuilder, 'takeFresh' | 'latestError'>;
  readonly #send: (copy: Copy) => void;
  #dueMs: number;

  constructor(
    builder: Pick<OutcomeBuilder, 'takeFresh' | 'latestError'>,
    { send, startMs }: { send: (copy: Copy) => void; startMs: number },
  ) {
    this.#builder = builder;
    this.#send = send;
    this.#dueMs = startMs + COPY_EVERY_MS;
  }

  /** Called whenever an item may have ended, with the time. */
  check(nowMs: number): void {
    if (!this.isEager && nowMs < this.#dueMs) return;
    this.#dueMs = nowMs + COPY_EVERY_MS;
    const fresh = this.#builder.takeFresh();
    if (fresh.length === 0) return;
    const error = this.#builder.latestError();
    this.#send({ ...toCopy(fresh), ...(error === undefined ? {} : { error }) });
  }
}

/** The lines go into bytes outside of the heap, one by one: one text of all could be what fills it. */
function toCopy(fresh: readonly FreshEnd[]): Copy {
  const lines = fresh.map(([, ended]) => (ended instanceof Uint8Array ? ended : Buffer.from(ended.line)));
  const ends = fresh.map(([slot, ended], i): Copy['ends'][number] => {
    const length = lines[i]?.length ?? 0;
    if (ended instanceof Uint8Array) return [slot, length];
    const { line: _line, ...other } = ended;
    return [slot, length, other];
  });
  return { ends, bytes: joinBytes(lines) };
}

/** The ended items of a copy. */
export function* readCopy({ ends, bytes }: Copy): Generator<readonly [slot: number, ended: EndedItem]> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let offset = 0;
  for (const [slot, length, other] of ends) {
    const line = text.toString('utf8', offset, offset + length);
    yield [slot, other === undefined ? line : { ...other, line }];
    offset += length;
  }
}
