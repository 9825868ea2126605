/** Creates rows and messages for tests; each test specifies only the fields that matter to it. */
import type { DequeuedMessageItem } from '@azure/storage-queue';
import type { ReportedOutcome } from '../../../shared/batches/apply/plan-apply.ts';
import { BATCH as BATCH_ROW, type BatchRow } from '../../../shared/batches/batch-row.ts';
import type { ChunkRow } from '../../../shared/batches/chunk-row.ts';
import type { OutcomeHeader } from '../../../shared/contract/outcome.ts';
import { isBlobReference, type Reference, readReference } from '../../../shared/contract/reference.ts';

export const BATCH = '01985a00-0000-7000-8000-000000000000';
const AT = '2026-01-01T00:00:00.000Z';
const DIGEST = `sha256:${'0'.repeat(64)}`;

/** Reads a reference to a chunk, of version 1. */
export function readChunkReference(text: string): Reference {
  const reference = readReference(text);
  if (isBlobReference(reference)) throw new Error(`Expected a reference to a chunk, got ${text}`);
  return reference;
}

export const referenceOf = (fields: Partial<Reference> = {}): Reference => ({
  v: 1,
  workload: 'billing',
  version: 1,
  batch: BATCH,
  chunk: '000000',
  kind: 'items',
  container: 'payloads',
  blob: 'payload.ndjson.zst',
  offset: 0,
  length: 100,
  bytes: 400,
  items: 4,
  firstItem: 0,
  digest: DIGEST,
  enqueuedAt: AT,
  ...fields,
});

/** The end of a chunk of four items, all of them results unless the counts override it. */
export function headerOf(
  counts: Partial<OutcomeHeader['counts']> = {},
  fields: Partial<OutcomeHeader> = {},
): OutcomeHeader {
  const { items = 4, dead = 0, discarded, cancelled = 0, retried = 0 } = counts;
  const succeeded = counts.succeeded ?? items - dead - cancelled - retried;
  const retries = { offset: 200, length: 50, bytes: 90, items: retried, digest: DIGEST };
  return {
    v: 1,
    ending: 'processed',
    counts: { items, succeeded, dead, ...(discarded === undefined ? {} : { discarded }), cancelled, retried },
    handlerSeconds: 0.5,
    ...(retried > 0 ? { retries } : {}),
    ...fields,
  };
}

/** A chunk's end as reported by the result message `message`. */
export const outcomeOf = (chunk: string, header = headerOf(), message = 'm1'): ReportedOutcome => ({
  chunk,
  header,
  message,
});

export function chunkRowOf(fields: Partial<ChunkRow> & { chunk: string }): ChunkRow {
  const reference = referenceOf({ chunk: fields.chunk });
  return { batch: BATCH, state: 'pending', items: 4, reference, ...fields };
}

export const batchRowOf = (fields: Partial<BatchRow> = {}): BatchRow => ({
  ...BATCH_ROW.initial,
  id: BATCH,
  state: 'queued',
  workload: 'billing',
  version: 1,
  lane: 'normal',
  pool: 'default',
  sourceKind: 'http',
  sourceName: '',
  payload: 'payload.ndjson.zst',
  digest: DIGEST,
  indexOffset: 100,
  indexLength: 50,
  payloadBytes: 400,
  storedBytes: 150,
  accepted: 4,
  chunksTotal: 1,
  acceptedAt: AT,
  revisionItems: fields.accepted ?? 4,
  openedAt: AT,
  deadlineAt: '2026-01-01T00:05:00.000Z',
  ...fields,
});

/** A message as returned by a first receive. */
export const messageOf = (text: string, fields: Partial<DequeuedMessageItem> = {}): DequeuedMessageItem => ({
  messageId: 'm1',
  popReceipt: 'r1',
  messageText: text,
  dequeueCount: 1,
  insertedOn: new Date(AT),
  expiresOn: new Date('9999-12-31T23:59:59.000Z'),
  nextVisibleOn: new Date(AT),
  ...fields,
});

/** The error of a storage SDK, with the service's error code if needed. */
export const serviceError = (statusCode: number, code?: string): Error =>
  Object.assign(new Error(`status ${statusCode}`), { statusCode, ...(code === undefined ? {} : { code }) });
