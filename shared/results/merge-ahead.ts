/**
 * Merges partial aggregates while their batch still runs. Invariant: this is a cache of work, and decides nothing. It holds
 * only outcomes that this process has surely stored itself, merges them strictly in chunk order, and remembers by digest
 * what it has merged. The report takes it once, and only if the ledger's rows name the same partial aggregates in the same
 * order; whatever is missing is read from storage. So a crash, a second instance, a redelivery or an early drop costs time,
 * and never changes a byte of the report.
 */
import { chunkId, firstChunkOf, retryChunkId } from '../contract/names.ts';
import type { OutcomeHeader } from '../contract/outcome.ts';
import type { Reference } from '../contract/reference.ts';
import type { Registry } from '../workload/registry.ts';
import { decodeValues, partialLinesIn } from './decode-values.ts';
import { createMerge, type Merge } from './merge.ts';

/** Estimated bytes that are kept for all batches together. 5,000 items of billing have 17 KB of partial aggregate, as stored. */
const MAX_BYTES = 32 * 1024 * 1024;
/** Partial aggregates merged in one turn of the event loop, some 5 ms each: more than one, to catch up with a late chunk. */
const MERGES_AT_ONCE = 4;
/** What a batch or a waiting outcome takes beside its bytes, and a digest; at most, roughly. */
const ENTRY_BYTES = 1_024;
const DIGEST_BYTES = 128;
/** Bytes that a merged value takes in the heap per byte of its JSON, at most, roughly: totals of billing take twice as many. */
const HEAP_BYTES_PER_JSON_BYTE = 4;

/** What one process has merged of its running batches. */
export interface MergeAhead {
  /**
   * Takes an outcome that this process has just stored as the first of its chunk. Never throws: what goes wrong here goes
   * wrong again when the report is made, and is reported then.
   */
  add: (reference: Reference, outcome: KnownOutcome) => void;
  /** Gives what there is of a batch, and forgets it: a report that fails later is made from storage. */
  take: (batch: string) => MergedAhead;
}

/** An outcome as stored. */
export interface KnownOutcome {
  header: OutcomeHeader;
  body: Uint8Array;
}

/** What of a batch was merged, and what waits for chunks before it. */
export interface MergedAhead {
  /** The partial aggregates of the batch's first chunks; undefined: none, or merging them failed. */
  merge: Merge | undefined;
  /** The digests of those that are merged, in the order of their merge. */
  digests: readonly string[];
  /** Frames as stored, by their digest. */
  frames: ReadonlyMap<string, Uint8Array>;
}

/** An outcome that waits for chunks before it. */
interface Waiting {
  header: OutcomeHeader;
  /** Undefined: nothing was folded. */
  frame: Uint8Array | undefined;
}

interface AheadBatch {
  merge: Merge | undefined;
  digests: string[];
  /** The chunk that is to be merged next; undefined: nothing more is merged before the end. */
  next: string | undefined;
  waiting: Map<string, Waiting>;
  /** Of the frames that wait. */
  waitingBytes: number;
  /** Of what is merged, estimated. */
  mergedBytes: number;
}

/**
 * Makes the cache of a process. Over `maxBytes` (default 32 MiB, estimated) it drops the batch that nothing was added to
 * for the longest time: it has probably ended on another instance.
 */
export function createMergeAhead(registry: Pick<Registry, 'workload'>, maxBytes = MAX_BYTES): MergeAhead {
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
    add: (reference, { header, body }) => {
      const workload = registry.workload(reference.workload);
      if (workload?.reduce === undefined) return;
      const batch = remove(reference.batch) ?? newBatch(createMerge(workload));
      addTo(batch, reference.chunk, { header, frame: frameIn(body, header) });
      batches.set(reference.batch, batch);
      bytes += bytesOf(batch);
      dropOldest();
    },
    take: (id) => {
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
  // A copy: the bytes are a small part of the outcome, which must not stay in memory for them, and are not ours.
  if (added.frame && batch.waiting.has(chunk))
    batch.waiting.set(chunk, { ...added, frame: new Uint8Array(added.frame) });
}

const waitingBytesOf = ({ frame }: Waiting): number => ENTRY_BYTES + (frame?.length ?? 0);

/** Merges the chunk that is next and some of those that have waited for it; the others follow with the next outcomes. */
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

/** Whether it was merged. A merge that throws has perhaps merged some keys: then all is dropped. */
function tryMerge(batch: AheadBatch, { header: { partial }, frame }: Waiting): boolean {
  if (!partial || !frame) return true;
  try {
    const lines = partialLinesIn(decodeValues(frame, partial));
    // Its results are to be folded again.
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
 * The chunk whose row follows, as far as an outcome says: the retries of a chunk come before the next chunk of the upload.
 * Undefined after one that was split, whose parts each may have retries. A wrong guess costs the cache, since the report
 * compares it with the rows.
 */
function chunkAfter(chunk: string, { retries, parts }: OutcomeHeader): string | undefined {
  if (parts) return undefined;
  return retries ? retryChunkId(chunk) : chunkId(Number(firstChunkOf(chunk)) + 1);
}
