import { digestOf, encodeFrame } from '../../contract/frame.ts';
import { LineStepsWriter } from '../../contract/line-steps.ts';
import { Turns } from '../../turns.ts';
import type { RedriveChunk } from './redrive-blob.ts';

/**
 * With a rate, a chunk holds the items that may run within this time, and they run together: a shorter time would cause
 * one message per item, a longer one bursts.
 */
const RATE_STEP_SECONDS = 5;

/** The limits of a chunk; `ratePerSecond` distributes the chunks over the time from `startMs` (service time). */
export interface FrameLimits {
  maxItems: number;
  maxBytes: number;
  startMs: number;
  ratePerSecond?: number | undefined;
}

export interface RedriveItem {
  index: number;
  json: string;
}

export interface RedriveFrames {
  frames: Buffer[];
  chunks: RedriveChunk[];
  items: number;
  bytes: number;
}

/** Collects items into frames. Attempts start at zero again, since the cause of the failure is assumed to be fixed. */
export class FrameBuilder {
  readonly made: RedriveFrames = { frames: [], chunks: [], items: 0, bytes: 0 };
  readonly #limits: FrameLimits;
  readonly #maxItems: number;
  #items: { index: number; line: string }[] = [];
  #bytes = 0;

  constructor(limits: FrameLimits) {
    const { maxItems, ratePerSecond = Number.POSITIVE_INFINITY } = limits;
    this.#limits = limits;
    this.#maxItems = Math.max(1, Math.min(maxItems, Math.floor(ratePerSecond * RATE_STEP_SECONDS)));
  }

  /** Adds an item. If the open frame is full, closes it and starts a new one. */
  async add({ index, json }: RedriveItem): Promise<void> {
    const size = Buffer.byteLength(json);
    if (this.#items.length >= this.#maxItems || (this.#bytes > 0 && this.#bytes + size > this.#limits.maxBytes)) {
      await this.close();
    }
    this.#items.push({ index, line: `${lineOf(index, json, this.#dueAt())}\n` });
    this.#bytes += size;
  }

  async close(): Promise<void> {
    if (this.#items.length === 0) return;
    const items = this.#items.sort((a, b) => a.index - b.index);
    const bytes = Buffer.from(items.map(({ line }) => line).join(''));
    const frame = await encodeFrame(bytes);
    const dueAt = this.#dueAt();
    this.made.chunks.push({
      offset: this.made.bytes,
      length: frame.length,
      bytes: bytes.length,
      digest: digestOf(frame),
      ...(await placesOf(items.map(({ index }) => index))),
      ...(dueAt === undefined ? {} : { dueAt }),
    });
    this.made.frames.push(frame);
    this.made.bytes += frame.length;
    this.made.items += items.length;
    this.#items = [];
    this.#bytes = 0;
  }

  /** Returns when the open frame may run; undefined means immediately, as for the first frame. */
  #dueAt(): string | undefined {
    const { ratePerSecond, startMs } = this.#limits;
    if (ratePerSecond === undefined || this.made.items === 0) return undefined;
    return new Date(startMs + (this.made.items / ratePerSecond) * 1000).toISOString();
  }
}

/** Encodes the positions of the items of a chunk, given in ascending order. */
export async function placesOf(
  indices: Iterable<number>,
): Promise<Pick<RedriveChunk, 'items' | 'firstItem' | 'lastItem' | 'steps'>> {
  const writer = new LineStepsWriter();
  const turns = new Turns();
  let [items, firstItem, lastItem] = [0, 0, 0];
  for (const index of indices) {
    if (items === 0) firstItem = index;
    else writer.add(index - lastItem);
    lastItem = index;
    items += 1;
    const turn = turns.next();
    if (turn) await turn;
  }
  return { items, firstItem, lastItem, steps: writer.end() };
}

const lineOf = (index: number, json: string, notBefore: string | undefined): string =>
  `${JSON.stringify({ index, attempts: [], notBefore }).slice(0, -1)},"item":${json}}`;
