import { digestOf, encodeFrameSync } from '../contract/frame.ts';
import { chunkId } from '../contract/names.ts';
import type { Reference } from '../contract/reference.ts';
import type { RawChunk } from '../intake/chunk-records.ts';
import { readUpload } from '../intake/read-upload.ts';
import { DEFAULTS, readSettings } from '../settings.ts';
import type { Workload } from '../workload/define.ts';

/** When every run of the kit begins, so that what it makes is the same each time: 2026-01-01. */
export const START_MS = Date.UTC(2026, 0, 1);
/** The batch of every run, made at START_MS. */
export const BATCH = '019b76da-a800-7000-8000-000000000000';

/** Takes items in as an upload of NDJSON: the payload blob, and the references that would lie in the queue. */
export async function cutIntoChunks(
  { name: workload, version, chunk }: Workload,
  items: Iterable<unknown>,
): Promise<{ payload: Buffer; references: Reference[] }> {
  const references: Reference[] = [];
  const frames: Buffer[] = [];
  let offset = 0;
  for await (const raw of chunksOf(items, chunk)) {
    const frame = encodeFrameSync(raw.bytes);
    references.push({
      ...{ v: 1, workload, version, batch: BATCH, chunk: chunkId(references.length), kind: 'items' },
      ...{ container: 'payloads', blob: 'payload', offset, length: frame.length, bytes: raw.bytes.length },
      ...{ items: raw.items, firstItem: raw.firstItem, digest: digestOf(frame) },
      enqueuedAt: new Date(START_MS).toISOString(),
    });
    frames.push(frame);
    offset += frame.length;
  }
  return { payload: Buffer.concat(frames), references };
}

function chunksOf(items: Iterable<unknown>, chunk: Workload['chunk']): AsyncIterable<RawChunk> {
  const connections = { SluiceStorage: 'none', SluiceServiceBus: 'none' };
  const limits = readSettings({ ...DEFAULTS, ...connections });
  return readUpload({ body: ndjson(items), format: 'ndjson', encoding: 'identity', limits, chunk }).chunks;
}

async function* ndjson(items: Iterable<unknown>): AsyncGenerator<Buffer> {
  for (const item of items) yield Buffer.from(`${JSON.stringify(item)}\n`);
}
