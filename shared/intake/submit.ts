/** Accepts a batch: whole or not at all, once per idempotency key, and in an order that can be repaired after any crash. */
import type { BatchRow } from '../batches/batch-row.ts';
import { type Claim, claimKey, keyRowOf, releaseClaim, renewClaim } from '../batches/keys.ts';
import { requireBatch } from '../batches/ledger.ts';
import { newBatchId } from '../contract/names.ts';
import { forNewBatch } from '../cost/account.ts';
import { BatchGoneError, Problem, toError } from '../errors.ts';
import { readEntity } from '../storage/table.ts';
import { log } from '../telemetry/log.ts';
import { withSpan } from '../telemetry/trace.ts';
import { accept, continueIntakeOrLog, mismatch } from './accept.ts';
import { CheckpointLostError } from './store/checkpoint.ts';
import { openUpload, type SubmitDeps, type SubmitRequest } from './submit-request.ts';

const RENEW_MS = 20_000;
/** Number of starts of an upload that its process did not survive before the upload is refused. */
const MAX_STARTS = 3;
/** From the acceptance of a batch until a repeat of its upload continues the intake: by then its process has probably died. */
const FORGOTTEN_MS = 60_000;

/** The next start of this upload must be alone in its process. */
export class SuspectUploadError extends Error {
  override name = 'SuspectUploadError';
}

/**
 * Stores, accepts and enqueues an upload, and returns its batch. For a repeated key, returns the batch of the first upload.
 * @throws Problem if the upload or its key is invalid. Then nothing of the upload is visible.
 */
export function submit(deps: SubmitDeps, request: SubmitRequest): Promise<BatchRow> {
  const { workload, source, traceparent: parent } = request;
  const attributes = { 'sluice.workload': workload.name, 'sluice.source': source.kind };
  return withSpan('sluice.intake', { parent, kind: 'producer', attributes }, async (span) => {
    const row = await forNewBatch(() => submitOnce(deps, request)).catch((error: unknown) => {
      // For the client, its key is in another state, and not its batch unknown.
      if (error instanceof BatchGoneError) throw new BatchGoneError(error.batch, { isBeingDeleted: true });
      throw error;
    });
    span.setAttributes({ 'sluice.batch': row.id, 'sluice.lane': row.lane, 'sluice.items': row.accepted });
    return row;
  });
}

async function submitOnce(deps: SubmitDeps, request: SubmitRequest): Promise<BatchRow> {
  if (!deps.meter.knowsServiceTime()) await askServiceTime(deps);
  if (request.key === undefined) return accept(deps, request, { batch: newBatchId(deps.gate.now()) });
  const claim = await claimKey(deps.keys, keyRowOf(request.workload.name, request.key), {
    nowMs: deps.gate.now(),
    check: (starts) => {
      if (starts === MAX_STARTS && request.crashes?.isAlone === false) throw new SuspectUploadError();
    },
  });
  if (claim.digest !== undefined) return repeat(deps, request, claim, claim.digest);
  let renewal: Promise<void> = Promise.resolve();
  const renewing = setInterval(() => {
    renewal = renewClaim(deps.keys, claim, deps.gate.now()).catch((error: unknown) =>
      log.warn('claim-not-renewed', { batch: claim.batch, error: toError(error) }),
    );
  }, RENEW_MS);
  try {
    if (claim.starts > MAX_STARTS && request.crashes !== undefined)
      throw new Problem('process-ended', `The process ended during each of ${MAX_STARTS} tries to read the file.`);
    return await accept(deps, request, claim);
  } catch (error) {
    clearInterval(renewing);
    // A renewal changes the ETag of the claim.
    await renewal;
    if (!isHeldByOther(error)) await tryRelease(deps, claim);
    throw error;
  } finally {
    clearInterval(renewing);
  }
}

/**
 * Makes one call to storage, because any response carries the service time. Otherwise the first write of a process would
 * use the machine's clock: a claim dated ten minutes ahead would block its key for ten minutes if its upload crashed.
 */
async function askServiceTime({ keys }: SubmitDeps): Promise<void> {
  await readEntity(keys, 'time', 'none');
}

async function tryRelease(deps: SubmitDeps, claim: Claim): Promise<void> {
  try {
    await releaseClaim(deps.keys, claim);
  } catch (error) {
    log.warn('claim-not-released', { batch: claim.batch, error: toError(error) });
  }
}

/** Whether the claim must stay: the key has its batch, or another process continues with the file. */
const isHeldByOther = (error: unknown): boolean =>
  error instanceof CheckpointLostError || (error instanceof Problem && error.type === 'idempotency-mismatch');

/** Handles a key that already has its batch: compares the content and stores nothing. */
async function repeat(deps: SubmitDeps, request: SubmitRequest, claim: Claim, digest: string): Promise<BatchRow> {
  if (request.keepsKey !== true) {
    const upload = openUpload(request);
    for await (const _chunk of upload.chunks);
    if (upload.digest() !== digest) throw mismatch();
  }
  const { row } = await requireBatch(deps.table, claim.batch);
  const { state, revision, acceptedAt } = row;
  const isForgotten =
    state === 'enqueueing' && revision === 0 && deps.gate.now() - Date.parse(acceptedAt) > FORGOTTEN_MS;
  return isForgotten ? continueIntakeOrLog(deps, row) : row;
}
