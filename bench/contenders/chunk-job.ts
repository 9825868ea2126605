import { digestOf, encodeFrameSync } from '../../shared/contract/frame.ts';
import { newBatchId } from '../../shared/contract/names.ts';
import type { ChunkJob } from '../../shared/processing/thread/thread-task.ts';

/** Creates a chunk of `lines` as the processor gets it, without any storage. */
export function chunkJob(workload: string, lines: readonly string[]): ChunkJob {
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  const frame = encodeFrameSync(bytes);
  const place = { container: 'payloads' as const, blob: 'bench', offset: 0, length: frame.length, bytes: bytes.length };
  const reference = {
    ...{ v: 1 as const, workload, version: 1, batch: newBatchId(Date.now()), chunk: '000000' },
    ...{ kind: 'items' as const, ...place, items: lines.length, firstItem: 0, digest: digestOf(frame) },
    enqueuedAt: new Date().toISOString(),
  };
  return { reference, frame, nowMs: Date.now() };
}
