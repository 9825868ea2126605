/** Creates chunks for tests, and reads their outcomes. */
import { digestOf, encodeFrameSync } from '../../../shared/contract/frame.ts';
import type { OutcomeHeader, RetryItem } from '../../../shared/contract/outcome.ts';
import type { Reference } from '../../../shared/contract/reference.ts';
import type { ChunkJob } from '../../../shared/processing/thread/thread-task.ts';
import { readDead, readPartial, readResultLines, readRetries } from './read-outcome.ts';

export const BATCH = '01985a00-0000-7000-8000-000000000000';
/** 2026-01-01T00:00:00Z */
export const NOW_MS = 1_767_225_600_000;

/** A chunk of kind `items`, or of kind `retries` if the overrides say so. */
export function chunkJob(lines: unknown[], overrides: Partial<Reference> = {}): ChunkJob {
  const bytes = Buffer.from(
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  );
  const frame = encodeFrameSync(bytes);
  const reference: Reference = {
    v: 1,
    workload: 'each',
    version: 3,
    batch: BATCH,
    chunk: '000002',
    kind: 'items',
    container: 'payloads',
    blob: 'payload',
    offset: 0,
    length: frame.length,
    bytes: bytes.length,
    items: lines.length,
    firstItem: 100,
    digest: digestOf(frame),
    enqueuedAt: '2026-01-01T00:00:00.000Z',
    ...overrides,
  };
  return { reference, frame, nowMs: NOW_MS };
}

/** A chunk that holds another outcome's retries, ready to run at `nowMs`. */
export const retriesJob = (retries: RetryItem[], nowMs: number, overrides: Partial<Reference> = {}): ChunkJob => ({
  ...chunkJob(retries, { kind: 'retries', container: 'results', chunk: '000002.r1', ...overrides }),
  nowMs,
});

/** All four frames of an outcome, parsed. */
export async function readAll({ header, body }: { header: OutcomeHeader; body: Uint8Array }) {
  const fetch = async (offset: number, length: number) => body.subarray(offset, offset + length);
  const results: unknown[] = (await readResultLines(header, fetch)).map((line) => JSON.parse(line));
  return {
    results,
    retries: await readRetries(header, fetch),
    dead: await readDead(header, fetch),
    partial: await readPartial(header, fetch),
  };
}
