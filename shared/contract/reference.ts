/** The queue messages: references (claim checks for a frame) and results. The JSON Schemas of both are in docs/contract/. */
import { z } from 'zod';
import { MalformedMessageError, NewerContractError } from './errors.ts';
import { isBatchId, isWorkloadName } from './names.ts';
import { operationsSchema } from './operations.ts';
import { outcomeHeaderSchema } from './outcome.ts';
import { isBlobName, MAX_BLOB_NAME } from './text/blob-name.ts';
import { asciiJson, bytesInXml } from './text/text.ts';

/**
 * Maximum bytes of a message's text in the XML body of its request. The service accepts 64 KiB of text in a body of 128 KiB
 * (source: Microsoft Learn, put-message); its older releases accepted a body of 64 KiB. This value is below both
 * and leaves room for the XML around the text.
 */
const MAX_MESSAGE_BYTES = 60 * 1024;

/** Whether the message fits into one queue message. */
export const fitsMessage = (message: object): boolean => bytesInXml(asciiJson(message)) <= MAX_MESSAGE_BYTES;

/** ETags of the service have 19 characters, and may be enclosed in the quotes of HTTP. */
const MAX_ETAG = 100;

const count = z.number().int().nonnegative();
const workload = z.string().refine(isWorkloadName);
const batch = z.string().refine(isBatchId);
/** No path characters, because a chunk id becomes part of a blob name and of a row key. */
const chunk = z.string().regex(/^[a-z0-9][a-z0-9.]{0,200}$/);
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);

/**
 * A reference: one frame of `blob`, to be processed as chunk `chunk` of `batch`. `bytes` is the decoded length. `offset` and
 * `length` locate the frame in the blob of container `payloads` (kind `items`) or `results` / `redrives` (kind `retries`, with
 * index, attempts and item in each line). `firstItem` is the 0-based position in the batch of the frame's first item. `skip`
 * and `take` select a part of its items. `starts` counts the isolated starts of this chunk, `returned` the deliveries that a
 * running process returned. `resent` marks a reference whose outcome may already be stored, because a repair put it again or a
 * failing service interrupted it. `resumes` is the number of times that its batch had been resumed when it was put (absent
 * means 0). Every resume puts all references again, so a reference with a smaller number than its batch is obsolete.
 */
export const referenceSchema = z.object({
  v: z.literal(1),
  workload,
  version: count,
  batch,
  chunk,
  kind: z.enum(['items', 'retries']),
  container: z.enum(['payloads', 'results', 'redrives']),
  blob: z.string().min(1).max(MAX_BLOB_NAME).refine(isBlobName),
  offset: count,
  length: count,
  bytes: count,
  items: count,
  firstItem: count,
  skip: count.optional(),
  take: count.optional(),
  starts: count.optional(),
  returned: count.optional(),
  resent: z.boolean().optional(),
  resumes: count.optional(),
  digest,
  enqueuedAt: z.string(),
  traceparent: z.string().optional(),
});
export type Reference = z.infer<typeof referenceSchema>;

/**
 * A reference of version 2, which producers other than Sluice put: blob `blob` of container `inbox` becomes a batch. The name
 * of the blob is `<workload>/[<lane>/]<name>`. `etag` is the version of the blob, with or without quotes. `tries` is set by
 * Sluice: the number of its failed or interrupted attempts. Deliveries to other consumers do not count. `batch` must be
 * absent: a reference with a batch is of version 1.
 */
export const blobReferenceSchema = z
  .object({
    v: z.literal(2),
    workload,
    producer: z.string().regex(/^[A-Za-z0-9._-]{1,60}$/),
    batch: z.never().optional(),
    blob: z.string().min(1).max(MAX_BLOB_NAME).refine(isBlobName),
    etag: z.string().min(1).max(MAX_ETAG).optional(),
    enqueuedAt: z.string().optional(),
    traceparent: z.string().optional(),
    tries: count.optional(),
  })
  .refine((value) => value.blob.startsWith(`${value.workload}/`), {
    path: ['blob'],
    message: 'The first folder of the blob must be the workload.',
  });
export type BlobReference = z.infer<typeof blobReferenceSchema>;

/** Whether the reference names a blob that becomes a batch, instead of a chunk. */
export const isBlobReference = (reference: Reference | BlobReference): reference is BlobReference => reference.v === 2;

/** A finished chunk in a result message: the header of its stored outcome, whichever process wrote the blob. */
const doneChunkSchema = z.object({ batch, chunk, header: outcomeHeaderSchema });
export type DoneChunk = z.infer<typeof doneChunkSchema>;

/** A result message: the chunks that one round of a dequeue task finished, and the operations for their batches. */
export const resultSchema = z.object({
  v: z.literal(1),
  workload,
  queue: z.string(),
  chunks: z.array(doneChunkSchema).min(1),
  operations: operationsSchema,
  at: z.string(),
  traceparent: z.string().optional(),
});
export type ResultMessage = z.infer<typeof resultSchema>;

/**
 * Reads a queue message by the schema of its version. The schemas are in the order of their versions, from 1.
 * @throws NewerContractError for a higher `v`; MalformedMessageError for any other mismatch.
 */
function readMessage<T>(what: string, schemas: readonly [z.ZodType<T>, ...z.ZodType<T>[]], text: string): T {
  const data = parseJson(what, text);
  const version = typeof data === 'object' && data !== null && 'v' in data ? data.v : undefined;
  if (typeof version === 'number' && version > schemas.length)
    throw new NewerContractError(what, version, schemas.length);
  const schema = schemas.find((_schema, index) => index + 1 === version) ?? schemas[0];
  const parsed = schema.safeParse(data);
  if (!parsed.success) throw new MalformedMessageError(`${what} is malformed: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

function parseJson(what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MalformedMessageError(`${what} is not JSON.`, { cause: error });
  }
}

/** Reads a reference from a message's text; throws NewerContractError or MalformedMessageError. */
export const readReference = (text: string): Reference | BlobReference =>
  readMessage<Reference | BlobReference>('Reference', [referenceSchema, blobReferenceSchema], text);

/** Reads a result message from its text; throws NewerContractError or MalformedMessageError. */
export const readResult = (text: string): ResultMessage => readMessage('Result', [resultSchema], text);
