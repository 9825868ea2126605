import type { BatchRow } from '../batches/batch-row.ts';
import { claimContent, recordContent } from '../batches/content-keys.ts';
import type { Claim } from '../batches/keys.ts';
import { insertBatch, readBatch } from '../batches/ledger.ts';
import { openBatch } from '../batches/listing/open-rows.ts';
import { CONTAINERS } from '../contract/names.ts';
import { addOperations, type Operations } from '../contract/operations.ts';
import { executionOf } from '../cost/executions.ts';
import { Problem, toError } from '../errors.ts';
import { log } from '../telemetry/log.ts';
import { countAccepted } from '../telemetry/metrics.ts';
import { itemSchemaOf } from '../workload/item-schema.ts';
import { validChunks } from './check/check-items.ts';
import { chunkRowsOf, continueIntake, type Entering } from './continue-intake.ts';
import { newRow } from './new-row.ts';
import { type StoredUpload, storeUpload } from './store/store-upload.ts';
import { openUpload, type SubmitDeps, type SubmitRequest } from './submit-request.ts';

/** The id of the batch; with an idempotency key, its claim. */
export type Claimed = Pick<Claim, 'batch'> & Partial<Claim>;

/**
 * Stores the payload and accepts the batch, or returns the one that another upload of the same key has accepted meanwhile.
 * @throws Problem for whatever is wrong with the upload; then nothing of it is visible.
 */
export async function accept(deps: SubmitDeps, request: SubmitRequest, claim: Claimed): Promise<BatchRow> {
  const beganMs = deps.gate.now();
  const stored = await store(deps, request, claim);
  const { name, payload, upload } = stored;
  const fresh = newRow(deps, request, { ...claim, payload, name, digest: upload.digest(), csv: upload.csv() });
  await refuseRepeated(deps, request, { row: fresh, stored });
  await openBatch(deps.table, fresh);
  // The acceptance itself cannot be counted in the row that it writes.
  const row = { ...fresh, operations: addOperations(deps.meter.unrecorded(), ACCEPTANCE) };
  const chunks = chunkRowsOf(row, payload.chunks);
  const accepted = await insertBatch(deps.table, row, chunks);
  if (accepted) deps.meter.record(row.operations);
  await stored.discardCheckpoint();
  if (!accepted) return await yieldTo(deps, row);
  log.info('batch-accepted', { batch: row.id, workload: row.workload, lane: row.lane, items: row.accepted });
  countAccepted(row, row.accepted);
  return finishIntake(deps, row, { chunks, etag: accepted.etag, ...afterwards(deps, request, beganMs) });
}

const ACCEPTANCE: Operations = { 'table.transaction': 1 };

/** What the row is to have beside what is counted: the note in the key row, written last, and a request's execution. */
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
 * Claims the content where the workload refuses what it had before. An upload over HTTP is recorded and never refused: its
 * client has a key that identifies a repeat.
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

/** From acceptance on the client gets its batch: what fails now is repaired by the sweep. */
async function finishIntake(
  deps: SubmitDeps,
  row: BatchRow,
  written?: Parameters<typeof continueIntake>[2],
): Promise<BatchRow> {
  try {
    return await continueIntake(deps, row, written);
  } catch (error) {
    log.error('intake-unfinished', { batch: row.id, error: toError(error) });
    return row;
  }
}

/** Another upload of the same key was faster. Same content: its batch is ours. The own payload goes, unless it is named. */
async function yieldTo(deps: SubmitDeps, own: BatchRow): Promise<BatchRow> {
  const stored = await readBatch(deps.table, own.id);
  if (!stored) throw new Problem('conflict', 'The batch of this idempotency key is being deleted.');
  if (stored.row.payload !== own.payload) await dropPayload(deps, own);
  if (stored.row.digest !== own.digest) throw mismatch();
  const { state, revision } = stored.row;
  return state === 'accepting' && revision === 0 ? finishIntake(deps, stored.row) : stored.row;
}

const dropPayload = ({ container }: SubmitDeps, { payload }: BatchRow): Promise<unknown> =>
  container(CONTAINERS.payloads).getBlobClient(payload).deleteIfExists();

/** The problem of a key that stands for other content. */
export const mismatch = (): Problem =>
  new Problem('idempotency-mismatch', 'This idempotency key was used before, for an upload with other content.');

const mustBeValid = ({ workload, validate = workload.validateAtIntake }: SubmitRequest): boolean => validate;
