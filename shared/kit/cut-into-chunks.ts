import { digestOf, encodeFrameSync } from '../contract/frame.ts';
import { chunkId } from '../contract/names.ts';
import { chunkOfItem, lineOfItem } from '../contract/payload-index.ts';
import type { Reference } from '../contract/reference.ts';
import type { RawChunk } from '../intake/chunk-records.ts';
import { readUpload } from '../intake/read-upload.ts';
import { DEFAULTS, readSettings } from '../settings.ts';
import type { Workload } from '../workload/define.ts';

/** The source to run over: items, or the chunks of an upload that is being read. */
export type ItemSource = Iterable<unknown> | AsyncIterable<ItemChunk>;

/** Consecutive items, which need not come from an upload. */
export type ItemChunk = Omit<RawChunk, 'end' | 'release'>;

/** The result of the intake of an upload, in memory. */
export interface CutItems {
  payload: Buffer;
  /** References as the queue would contain them. */
  references: Reference[];
  /** The 1-based line of the source on which an item begins, by its position in the batch. */
  lineOf: (position: number) => number;
}

/** Encodes a source as a payload blob, with the references to its chunks. Items are read like an NDJSON upload. */
export async function cutIntoChunks(
  { name: workload, version, chunk }: Workload,
  source: ItemSource,
  { batch, startMs }: { batch: string; startMs: number },
): Promise<CutItems> {
  const references: Reference[] = [];
  const frames: Buffer[] = [];
  const entries: Omit<ItemChunk, 'bytes'>[] = [];
  let offset = 0;
  for await (const raw of isChunks(source) ? source : chunksOf(source, chunk)) {
    const { bytes, items, firstItem, firstLine, lines } = raw;
    const frame = encodeFrameSync(bytes);
    references.push({
      ...{ v: 1, workload, version, batch, chunk: chunkId(references.length), kind: 'items' },
      ...{ container: 'payloads', blob: 'payload', offset, length: frame.length, bytes: bytes.length },
      ...{ items, firstItem, digest: digestOf(frame) },
      enqueuedAt: new Date(startMs).toISOString(),
    });
    frames.push(frame);
    entries.push({ items, firstItem, firstLine, lines });
    offset += frame.length;
  }
  return { payload: Buffer.concat(frames), references, lineOf: (position) => lineIn(entries, position) };
}

const isChunks = (source: ItemSource): source is AsyncIterable<ItemChunk> => Symbol.asyncIterator in source;

function lineIn(entries: readonly Omit<ItemChunk, 'bytes'>[], position: number): number {
  const entry = entries[chunkOfItem(entries, position) ?? -1];
  if (entry === undefined) throw new RangeError(`There is no item ${position}.`);
  return lineOfItem(entry, position);
}

/** The limits that the app has by default. */
export const readLimits = () => readSettings({ ...DEFAULTS, SluiceStorage: 'none', SluiceServiceBus: 'none' });

function chunksOf(items: Iterable<unknown>, chunk: Workload['chunk']): AsyncIterable<RawChunk> {
  return readUpload({ body: ndjson(items), format: 'ndjson', encoding: 'identity', limits: readLimits(), chunk })
    .chunks;
}

async function* ndjson(items: Iterable<unknown>): AsyncGenerator<Buffer> {
  for (const item of items) yield Buffer.from(`${JSON.stringify(item)}\n`);
}
