/**
 * Merges partial aggregates while their batch still runs. Invariant: this is only a cache of work, and decides nothing.
 * It contains only outcomes that this process has certainly stored itself, merges them strictly in chunk order, and
 * records the digests of what it has merged. The report takes it once, and only if the ledger's rows contain the same
 * partial aggregates in the same order; everything else is read from storage. So a crash, a second instance, a redelivery
 * or an early drop costs time, and never changes a byte of the report.
 */
import { chunkId, firstChunkOf, retryChunkId } from '../contract/names.ts';
import type { OutcomeHeader } from '../contract/outcome.ts';
import type { Reference } from '../contract/reference.ts';
import type { Registry } from '../workload/registry.ts';
import { createMerge, decodeValues, type Merge, partialLinesIn } from './merge.ts';

/** Estimated bytes that are kept for all batches together. The stored partial aggregate of 5,000 items of billing has 17 KB. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Partial aggregates merged in one turn of the event loop, some 5 ms each. More than one, to catch up after a late chunk. */
const MERGES_AT_ONCE = 4;
/** Approximate maximum memory of a batch or a waiting outcome without its bytes, and of a digest. */
const ENTRY_BYTES = 1_024;
const DIGEST_BYTES = 128;
/** Approximate maximum heap bytes per byte of JSON of a merged value; totals of billing need two. */
const HEAP_BYTES_PER_JSON_BYTE = 4;

/** The partial aggregates that one process has merged for its running batches. */
export type MergeAhead = ReturnType<typeof createMergeAhead>;

export interface KnownOutcome {
  header: OutcomeHeader;
  body: Uint8Array;
}

/** The merged part of a batch, and the frames that wait for earlier chunks. */
export interface MergedAhead {
  /** The partial aggregates of the batch's first chunks; undefined if there are none, or if merging them failed. */
  merge: Merge | undefined;
  /** The digests of the merged ones, in the order of their merge. */
  digests: readonly string[];
  frames: ReadonlyMap<string, Uint8Array>;
}

interface Waiting {
  header: OutcomeHeader;
  /** Undefined if nothing was folded. */
  frame: Uint8Array | undefined;
}

interface AheadBatch {
  merge: Merge | undefined;
  digests: string[];
  /** The next chunk to merge; undefined if nothing more is merged before the end. */
  next: string | undefined;
  waiting: Map<string, Waiting>;
  waitingBytes: number;
  mergedBytes: number;
}

/**
 * Creates the cache of a process. Over `maxBytes` (default 32 MiB, estimated), it drops the batch with the oldest latest
 * addition, which has probably ended on another instance.
 */
export function createMergeAhead(registry: Pick<Registry, 'workload'>, maxBytes = MAX_BYTES) {
  /** In the order of the latest outcome. */
  const batches = new Map<string, AheadBatch>();
  let bytes = 0;
  const remove = (id: string): AheadBatch | undefined => {
    const batch = batches.get(id);
    batches.delete(id);
    if (batch) bytes -= bytesOf(batch);
    return batch;
  };
  const dropOldest = (): void => {
    for (const id of batches.keys()) {
      if (bytes <= maxBytes) return;
      remove(id);
    }
  };
  return {
    /**
     * Adds an outcome that this process has just stored as the first of its chunk. Never throws: an error here occurs again
     * when the report is created, and is reported then.
     */
    add: (reference: Reference, { header, body }: KnownOutcome): void => {
      const { name = '', reduce } = registry.workload(reference.workload) ?? {};
      if (reduce === undefined) return;
      const batch = remove(reference.batch) ?? newBatch(createMerge({ name, reduce }));
      addTo(batch, reference.chunk, { header, frame: frameIn(body, header) });
      batches.set(reference.batch, batch);
      bytes += bytesOf(batch);
      dropOldest();
    },
    /** Returns and removes what is known of a batch: if its report fails later, it is created from storage. */
    take: (id: string): MergedAhead => {
      const { merge, digests = [], waiting = [] } = remove(id) ?? {};
      const frames = new Map<string, Uint8Array>();
      for (const [, { header, frame }] of waiting)
        if (frame && header.partial) frames.set(header.partial.digest, frame);
      return { merge, digests, frames };
    },
  };
}

const newBatch = (merge: Merge): AheadBatch => ({
  merge,
  digests: [],
  next: chunkId(0),
  waiting: new Map(),
  waitingBytes: 0,
  mergedBytes: 0,
});

const bytesOf = ({ waitingBytes, mergedBytes, digests }: AheadBatch): number =>
  ENTRY_BYTES + waitingBytes + mergedBytes + digests.length * DIGEST_BYTES;

const frameIn = (body: Uint8Array, { partial }: OutcomeHeader): Uint8Array | undefined =>
  partial && body.subarray(partial.offset, partial.offset + partial.length);

function addTo(batch: AheadBatch, chunk: string, added: Waiting): void {
  if (batch.waiting.has(chunk)) return;
  batch.waiting.set(chunk, added);
  batch.waitingBytes += waitingBytesOf(added);
  mergeNext(batch);
  // Copied, because the frame is a small part of the outcome, which must not stay in memory for it and belongs to the
  // caller.
  if (added.frame && batch.waiting.has(chunk))
    batch.waiting.set(chunk, { ...added, frame: new Uint8Array(added.frame) });
}

const waitingBytesOf = ({ frame }: Waiting): number => ENTRY_BYTES + (frame?.length ?? 0);

/** Merges the next chunk and some that have waited for it; the others follow with the next outcomes. */
function mergeNext(batch: AheadBatch): void {
  for (let count = 0; count < MERGES_AT_ONCE && batch.next !== undefined; count += 1) {
    const chunk: string = batch.next;
    const found = batch.waiting.get(chunk);
    if (!found) return;
    if (!tryMerge(batch, found)) {
      batch.next = undefined;
      return;
    }
    batch.waiting.delete(chunk);
    batch.waitingBytes -= waitingBytesOf(found);
    batch.next = chunkAfter(chunk, found.header);
  }
}

/** Returns whether the chunk was merged. A merge that throws may have merged some keys: then everything is dropped. */
function tryMerge(batch: AheadBatch, { header: { partial }, frame }: Waiting): boolean {
  if (!partial || !frame) return true;
  try {
    const lines = partialLinesIn(decodeValues(frame, partial));
    // Its results must be folded again.
    if (lines === undefined) return false;
    batch.merge?.add(lines);
  } catch {
    batch.merge = undefined;
    batch.digests = [];
    batch.mergedBytes = 0;
    return false;
  }
  batch.digests.push(partial.digest);
  const lineBytes = partial.bytes / Math.max(1, partial.items);
  batch.mergedBytes = (batch.merge?.keys() ?? 0) * lineBytes * HEAP_BYTES_PER_JSON_BYTE;
  return true;
}

/**
 * Returns the chunk whose row comes next, as far as an outcome shows: the retries of a chunk come before the next chunk
 * of the upload. Undefined after a chunk that was split, whose parts may each have retries. A wrong guess only makes the
 * cache useless, since the report compares it with the rows.
 */
function chunkAfter(chunk: string, { retries, parts }: OutcomeHeader): string | undefined {
  if (parts) return undefined;
  return retries ? retryChunkId(chunk) : chunkId(Number(firstChunkOf(chunk)) + 1);
}
