/**
 * The limit: from the compressed upload to the report in one process without any storage. Written against Node alone but
 * for the last merge, so that no slowness of Sluice's own code lowers the bar.
 */
import { createReadStream } from 'node:fs';
import { availableParallelism } from 'node:os';
import { createZstdDecompress, zstdDecompressSync } from 'node:zlib';
import { createMerge } from '../../shared/results/merge.ts';
import billing from '../../workloads/billing.ts';
import { compress } from './limit-frame.ts';
import { LimitThreads } from './limit-threads.ts';

const LF = 0x0a;
/** As in Sluice: billing's chunk is the default one. */
const { maxItems } = billing.chunk;
/** Chunks on their way at once: as many as keep the threads busy. */
const IN_FLIGHT = 4 * availableParallelism();

let threads: LimitThreads | undefined;

/** Whether the second half begins with the first chunk, or only when the last is there, as acceptance of a whole batch asks. */
export type Overlap = 'overlapping' | 'acceptedWhole';

/** Takes a zstd file of NDJSON to its report; gives the report's lines and the number of items. */
export async function runLimit(file: string, overlap: Overlap): Promise<{ items: number; report: string[] }> {
  threads ??= new LimitThreads(availableParallelism());
  const { items, partials } = await (overlap === 'overlapping' ? runOverlapping : runInTurn)(file, threads);
  const merge = createMerge(billing);
  for (const partial of partials) merge.add(JSON.parse(zstdDecompressSync(await partial).toString('utf8')));
  const report = merge.lines();
  await compress(Buffer.from(report.join('\n')));
  return { items, report };
}

interface Halves {
  items: number;
  partials: Promise<Uint8Array>[];
}

async function runOverlapping(file: string, threads: LimitThreads): Promise<Halves> {
  const partials: Promise<Uint8Array>[] = [];
  let items = 0;
  for await (const chunk of chunksOf(file)) {
    items += chunk.items;
    partials.push(compress(chunk.bytes).then((frame) => threads.run(frame)));
    await partials[partials.length - IN_FLIGHT];
  }
  return { items, partials };
}

async function runInTurn(file: string, threads: LimitThreads): Promise<Halves> {
  const frames: Promise<Uint8Array>[] = [];
  let items = 0;
  for await (const chunk of chunksOf(file)) {
    items += chunk.items;
    frames.push(compress(chunk.bytes));
  }
  const whole = await Promise.all(frames);
  return { items, partials: whole.map((frame) => threads.run(frame)) };
}

/** Ends the threads. */
export const endLimit = async (): Promise<void> => threads?.end();

async function* chunksOf(file: string): AsyncGenerator<{ bytes: Buffer; items: number }> {
  const source = createReadStream(file, { highWaterMark: 256 * 1024 });
  const pieces = source.pipe(createZstdDecompress({ chunkSize: 256 * 1024 }));
  let rest: Buffer = Buffer.alloc(0);
  let parts: Buffer[] = [];
  let items = 0;
  for await (const piece of pieces as AsyncIterable<Buffer>) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let from = 0;
    let start = 0;
    for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
      JSON.parse(bytes.toString('latin1', start, end));
      start = end + 1;
      items += 1;
      if (items < maxItems) continue;
      parts.push(bytes.subarray(from, start));
      yield { bytes: Buffer.concat(parts), items };
      parts = [];
      items = 0;
      from = start;
    }
    parts.push(bytes.subarray(from, start));
    rest = bytes.subarray(start);
  }
  if (items > 0) yield { bytes: Buffer.concat(parts), items };
}
