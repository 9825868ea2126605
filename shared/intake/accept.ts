import type { BatchRow } from '../batches/batch-row.ts';
import { claimContent, recordContent } from '../batches/content-keys.ts';
import type { Claim } from '../batches/keys.ts';
import { insertBatch, MAX_CHUNK_ROWS_PER_TRANSACTION, readBatch } from '../batches/ledger.ts';
import { openBatch } from '../batches/listing/open-rows.ts';
import { CONTAINERS } from '../contract/names.ts';
import { addOperations, type Operations } from '../contract/operations.ts';
import { executionOf } from '../cost/executions.ts';
import { Problem, toError } from '../errors.ts';
import { log } from '../telemetry/log.ts';
import { countAccepted } from '../telemetry/metrics.ts';
import { itemSchemaOf } from '../workload/item-schema.ts';
import { validChunks } from './check/valid-chunks.ts';
import { chunkRowsOf, continueIntake, type Entering } from './continue-intake.ts';
import { newRow } from './new-row.ts';
import { openChunkIndex } from './store/chunk-index.ts';
import { type StoredUpload, storeUpload } from './store/store-upload.ts';
import { openUpload, type SubmitDeps, type SubmitRequest } from './submit-request.ts';

/** The id of the new batch. With an idempotency key, the claim of the key. */
export type Claimed = Pick<Claim, 'batch'> & Partial<Claim>;

/**
 * Stores the payload and accepts the batch. If another upload with the same key was accepted in the meantime, returns its
 * batch.
 * @throws Problem if the upload is invalid or the key belongs to other content. Then nothing of the upload is visible.
 */
export async function accept(deps: SubmitDeps, request: SubmitRequest, claim: Claimed): Promise<BatchRow> {
  const beganMs = deps.gate.now();
  const stored = await store(deps, request, claim);
  const { name, payload, upload } = stored;
  const fresh = newRow(deps, request, { ...claim, payload, name, digest: upload.digest(), csv: upload.csv() });
  await refuseRepeated(deps, request, { row: fresh, stored });
  await openBatch(deps.table, fresh);
  // The transaction that accepts the batch cannot count itself afterwards, so its operation is added in advance.
  const row = { ...fresh, operations: addOperations(deps.meter.unrecorded(), ACCEPTANCE) };
  const index = await openChunkIndex(deps, row, payload.indexEnd);
  const first = chunkRowsOf(row, await index.some(0, MAX_CHUNK_ROWS_PER_TRANSACTION));
  const accepted = await insertBatch(deps.table, row, first);
  if (accepted) deps.meter.record(row.operations);
  await stored.discardCheckpoint();
  if (!accepted) return await yieldTo(deps, row);
  log.info('batch-accepted', { batch: row.id, workload: row.workload, lane: row.lane, items: row.accepted });
  countAccepted(row, row.accepted);
  return finishIntake(deps, row, {
    ...{ index, isBegun: true, etag: accepted.etag },
    ...afterwards(deps, request, beganMs),
  });
}

const ACCEPTANCE: Operations = { 'table.transaction': 1 };

/**
 * Operations that the batch row must count although no meter has counted them: the last update of the key row, and the
 * execution of an HTTP request.
 */
const afterwards = (
  { gate }: Pick<SubmitDeps, 'gate'>,
  { key, source }: SubmitRequest,
  beganMs: number,
): Pick<Entering, 'after' | 'uncounted'> => ({
  ...(key === undefined ? {} : { after: { 'table.update': 1 } }),
  ...(source.kind === 'http' ? { uncounted: () => executionOf((gate.now() - beganMs) / 1_000) } : {}),
});

const store = (deps: SubmitDeps, request: SubmitRequest, { batch, repeated = false }: Claimed) => {
  const { workload, lane, format, encoding, csv, resumable } = request;
  const { name, version, chunk } = workload;
  return storeUpload(deps, {
    ...{ batch, repeated, workload: name, lane, encoding, resumable },
    open: (resumed) => {
      const upload = openUpload(request, resumed);
      return mustBeValid(request) ? { ...upload, chunks: validChunks(workload, format, upload.chunks) } : upload;
    },
    reading: { version, chunk, format, encoding, csv, validate: mustBeValid(request), schema: itemSchemaOf(workload) },
  });
};

/**
 * Claims the content if the workload refuses repeated content. An upload over HTTP is recorded but never refused: its
 * client can detect a repeat with an idempotency key.
 */
async function refuseRepeated(
  deps: SubmitDeps,
  { workload, source }: SubmitRequest,
  { row, stored }: { row: BatchRow; stored: StoredUpload },
): Promise<void> {
  if (workload.inbox.repeatedContent !== 'refuse') return;
  const content = { workload: row.workload, digest: row.digest, batch: row.id };
  const nowMs = deps.gate.now();
  if (source.kind === 'http') return void (await recordContent(deps.keys, content, nowMs));
  const isAccepted = async (batch: string): Promise<boolean> => (await readBatch(deps.table, batch)) !== undefined;
  const earlier = await claimContent(deps.keys, content, { nowMs, isAccepted });
  if (earlier === undefined) return;
  await stored.discardCheckpoint();
  await dropPayload(deps, row);
  throw new Problem('repeated-content', `Batch ${earlier} of workload "${row.workload}" has the same content.`);
}

/**
 * Enters the queues. The batch is accepted, so the client receives it even if a step fails here: the sweep repairs the
 * rest.
 */
async function finishIntake(
  deps: SubmitDeps,
  row: BatchRow,
  accepted?: Parameters<typeof continueIntake>[2],
): Promise<BatchRow> {
  try {
    return await continueIntake(deps, row, accepted);
  } catch (error) {
    log.error('intake-unfinished', { batch: row.id, error: toError(error) });
    return row;
  }
}

/**
 * Another upload with the same key was accepted first. If its content is the same, returns its batch. Deletes this upload's
 * payload: the accepted batch refers to another one, or `insertBatch` would have recognized its row as this upload's.
 */
async function yieldTo(deps: SubmitDeps, own: BatchRow): Promise<BatchRow> {
  const stored = await readBatch(deps.table, own.id);
  if (!stored) throw new Problem('conflict', 'The batch of this idempotency key is being deleted.');
  await dropPayload(deps, own);
  if (stored.row.digest !== own.digest) throw mismatch();
  const { state, revision } = stored.row;
  return state === 'accepting' && revision === 0 ? finishIntake(deps, stored.row) : stored.row;
}

const dropPayload = ({ container }: SubmitDeps, { payload }: BatchRow): Promise<unknown> =>
  container(CONTAINERS.payloads).getBlobClient(payload).deleteIfExists();

/** Creates the problem of a key that was used for other content, or for content that was read as another format. */
export const mismatch = (): Problem =>
  new Problem(
    'idempotency-mismatch',
    'This idempotency key was used before, for an upload with other content, or with another format or other CSV options.',
  );

const mustBeValid = ({ workload, validate = workload.validateAtIntake }: SubmitRequest): boolean => validate;
