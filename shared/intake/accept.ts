import type { BatchRow, Versioned } from '../batches/batch-row.ts';
import { claimContent, contentRowOf, recordContent } from '../batches/content-keys.ts';
import { type Claim, freeKey, recordKeyContent } from '../batches/keys.ts';
import { changeFrom, insertBatch, MAX_CHUNK_ROWS_PER_TRANSACTION, readBatch, requireBatch } from '../batches/ledger.ts';
import { writeOpenRow } from '../batches/listing/open-rows.ts';
import { cleaningUp, removeBatch } from '../batches/remove-batch.ts';
import { CONTAINERS } from '../contract/names.ts';
import { BatchGoneError, Problem, toError } from '../errors.ts';
import { log } from '../telemetry/log.ts';
import { countAccepted } from '../telemetry/metrics.ts';
import { itemSchemaOf } from '../workload/item-schema.ts';
import { validChunks } from './check/valid-chunks.ts';
import { chunkRowOf, continueIntake } from './continue-intake.ts';
import { newRow } from './new-row.ts';
import { openChunkIndex } from './store/chunk-index.ts';
import { type StoredUpload, storeUpload } from './store/store-upload.ts';
import { openUpload, type SubmitDeps, type SubmitRequest } from './submit-request.ts';

export type Claimed = Pick<Claim, 'batch'> | Claim;

const isClaim = (claimed: Claimed): claimed is Claim => 'keyRow' in claimed;

/**
 * Stores the payload and accepts the batch. If another upload with the same key was accepted in the meantime, returns its
 * batch.
 * @throws Problem if the upload is invalid or the key belongs to other content. Then nothing of the upload is visible.
 */
export async function accept(deps: SubmitDeps, request: SubmitRequest, claim: Claimed): Promise<BatchRow> {
  const stored = await store(deps, request, claim);
  const { name, payload, upload } = stored;
  const keyRow = isClaim(claim) ? { keyRow: claim.keyRow } : {};
  const row = newRow(deps, request, {
    batch: claim.batch,
    ...keyRow,
    payload,
    name,
    digest: upload.digest(),
    csv: upload.csv(),
  });
  await noteContent(deps, request, { row, stored });
  await writeOpenRow(deps.table, row);
  const index = await openChunkIndex(deps, row, payload.indexEnd);
  const entries = await index.some(0, MAX_CHUNK_ROWS_PER_TRANSACTION);
  const first = entries.map((entry, position) => chunkRowOf(row, entry, position));
  const accepted = await insertBatch(deps.table, row, first);
  await stored.discardCheckpoint();
  if (!accepted) return yieldTo(deps, request, { created: row, claim });
  await keepKey(deps, request, { accepted, claim });
  log.info('batch-accepted', { batch: row.id, workload: row.workload, lane: row.lane, items: row.accepted });
  countAccepted(row, row.accepted);
  return continueIntakeOrLog(deps, accepted.row, { index, isBegun: true, etag: accepted.etag });
}

/**
 * Records the content of the key before the batch enters its queues. If the key is free or stands for another batch,
 * another upload with it was accepted while this one waited, and its batch, which had the same id, was deleted since. The
 * deletion must not be undone, so this batch is removed before any of its items runs.
 */
async function keepKey(
  deps: SubmitDeps,
  { keepsKey: keeps }: SubmitRequest,
  { accepted, claim }: { accepted: Versioned<BatchRow>; claim: Claimed },
): Promise<void> {
  if (!isClaim(claim)) return;
  const { row } = accepted;
  try {
    await recordKeyContent(deps.keys, claim, { digest: row.digest, keeps });
  } catch (error) {
    if (!(error instanceof BatchGoneError)) throw error;
    await changeFrom(deps.table, accepted, () => ({ deletingAt: new Date(deps.gate.now()).toISOString() }));
    await freeKey(deps.keys, contentRowOf(row.workload, row.digest), row.id);
    await removeBatch(deps, row);
    throw error;
  }
}

const store = (deps: SubmitDeps, request: SubmitRequest, claim: Claimed) => {
  const { batch } = claim;
  const repeated = isClaim(claim) && claim.repeated;
  const { workload, format, encoding, csv, resumable } = request;
  const { version, chunk } = workload;
  return storeUpload(deps, {
    ...{ batch, repeated, encoding, resumable },
    // The next renewal of the claim records that the upload makes progress.
    onCheckpoint: () => {
      if (isClaim(claim)) claim.starts = 1;
    },
    open: (resumed) => {
      const upload = openUpload(request, resumed);
      return mustBeValid(request) ? { ...upload, chunks: validChunks(workload, upload.chunks) } : upload;
    },
    reading: { version, chunk, format, encoding, csv, validate: mustBeValid(request), schema: itemSchemaOf(workload) },
  });
};

/**
 * Records the content of an inbox file, or claims it if the workload refuses repeated content. Then an upload over HTTP
 * is recorded, too, but never refused: its client can detect a repeat with an idempotency key.
 */
async function noteContent(
  deps: SubmitDeps,
  { workload, source }: SubmitRequest,
  { row, stored }: { row: BatchRow; stored: StoredUpload },
): Promise<void> {
  const isRefused = workload.inbox.repeatedContent === 'refuse';
  if (source.kind === 'http' && !isRefused) return;
  const content = { workload: row.workload, digest: row.digest, batch: row.id };
  const nowMs = deps.gate.now();
  if (source.kind === 'http' || !isRefused) {
    const sameContentAs = await recordContent(deps.keys, content, nowMs);
    if (source.kind === 'inbox' && sameContentAs !== undefined)
      log.warn('inbox-repeated', { file: source.name, batch: row.id, sameContentAs });
    return;
  }
  const isAccepted = async (batch: string): Promise<boolean> => (await readBatch(deps.table, batch)) !== undefined;
  const earlier = await claimContent(deps.keys, content, { nowMs, isAccepted });
  if (earlier === undefined) return;
  await stored.discardCheckpoint();
  await dropPayload(deps, row);
  throw new Problem('repeated-content', `Batch ${earlier} of workload "${row.workload}" has the same content.`);
}

/**
 * Enters the queues. The batch is accepted, so the client receives it even if a step fails here: the sweep repairs the
 * rest. If the batch has ended and was deleted meanwhile, what was written since then is removed.
 */
export async function continueIntakeOrLog(
  deps: SubmitDeps,
  row: BatchRow,
  accepted?: Parameters<typeof continueIntake>[2],
): Promise<BatchRow> {
  try {
    return await cleaningUp(deps, row, () => continueIntake(deps, row, accepted));
  } catch (error) {
    log.error('intake-unfinished', { batch: row.id, error: toError(error) });
    return row;
  }
}

/**
 * Another upload with the same key was accepted first. If its content is the same, returns its batch. Deletes this upload's
 * payload: the accepted batch refers to another one, or `insertBatch` would have recognized its row as this upload's.
 */
async function yieldTo(
  deps: SubmitDeps,
  { keepsKey: keeps }: SubmitRequest,
  { created, claim }: { created: BatchRow; claim: Claimed },
): Promise<BatchRow> {
  const stored = await cleaningUp(deps, created, () => requireBatch(deps.table, created.id));
  await dropPayload(deps, created);
  if (stored.row.digest !== created.digest) throw mismatch();
  if (isClaim(claim)) await recordKeyContent(deps.keys, claim, { digest: created.digest, keeps });
  const { state, revision } = stored.row;
  return state === 'enqueueing' && revision === 0 ? continueIntakeOrLog(deps, stored.row) : stored.row;
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
