import { digestOf, encodeFrameSync, SKIPPABLE_OVERHEAD, skippableFrame } from '../../../contract/frame.ts';
import type { Operations } from '../../../contract/operations.ts';
import type { FramePlace, OutcomeHeader } from '../../../contract/outcome.ts';

/** Lines as the bytes in which they are stored, each with its newline. */
export interface LineBytes {
  bytes: Uint8Array;
  items: number;
}

/** The lines of an outcome's four frames; no frame is written for absent or empty ones. */
export interface OutcomeLines {
  results?: readonly string[] | LineBytes;
  retries?: readonly string[];
  dead?: readonly string[];
  partial?: readonly string[];
}

/** An outcome as stored: the header goes into blob metadata. */
export interface EncodedOutcome {
  header: OutcomeHeader;
  body: Uint8Array<ArrayBuffer>;
}

/** The outcome of a chunk, and the counts of its run. */
export interface ChunkOutcome {
  header: OutcomeHeader;
  body: Uint8Array;
  /** Items that failed for retry because the handler threw or timed out, the last attempt included. */
  failures: number;
  /** The error of one of them, on one line; empty if there is none. */
  failure: string;
  /** Items whose handler ran, and was not throttled by the called service. */
  ran: number;
  /** Dead letters by cause: reason, error name and message with numbers and quoted text masked. */
  causes: Record<string, number>;
  /** Seconds in which the thread could begin no call because of the workload's limits; absent if it has none. */
  waitedSeconds?: number;
  /** Storage operations of the handlers; absent if there were none. */
  operations?: Operations;
}

type Facts = Pick<OutcomeHeader, 'ending' | 'counts'> &
  Partial<Pick<OutcomeHeader, 'dueAt' | 'moved' | 'invalid' | 'parts'>>;
type Places = Pick<OutcomeHeader, 'results' | 'retries' | 'dead' | 'partial'>;

/**
 * Encodes a chunk's outcome. The body starts with a plain zstd frame even without results, because some decoders refuse a
 * file that contains only skippable frames. A FramePlace always points at the inner zstd frame.
 */
export function encodeOutcome(facts: Facts, lines: OutcomeLines): EncodedOutcome {
  const places: Places = {};
  const parts: Uint8Array[] = [];
  let offset = 0;
  const append = (bytes: Uint8Array): void => {
    parts.push(bytes);
    offset += bytes.length;
  };
  const results = toFrame(lines.results ?? [], 0);
  append(results.frame);
  if (results.place.items > 0) places.results = results.place;
  for (const name of ['retries', 'dead', 'partial'] as const) {
    const frameLines = lines[name] ?? [];
    if (frameLines.length === 0) continue;
    const { frame, place } = toFrame(frameLines, offset + SKIPPABLE_OVERHEAD);
    append(skippableFrame(frame));
    places[name] = place;
  }
  return { header: { v: 1, handlerSeconds: 0, ...facts, ...places }, body: joinBytes(parts) };
}

function toFrame(lines: readonly string[] | LineBytes, offset: number): { frame: Buffer; place: FramePlace } {
  const { bytes, items } = 'bytes' in lines ? lines : toLineBytes(lines);
  const frame = encodeFrameSync(bytes);
  return { frame, place: { offset, length: frame.length, bytes: bytes.length, items, digest: digestOf(frame) } };
}

const toLineBytes = (lines: readonly string[]): LineBytes => ({
  bytes: Buffer.from(lines.length === 0 ? '' : `${lines.join('\n')}\n`),
  items: lines.length,
});

/** Joins the parts in a separate ArrayBuffer, not in a slice of Buffer's pool, because it is transferred to another thread. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const part of parts) {
    all.set(part, offset);
    offset += part.length;
  }
  return all;
}
