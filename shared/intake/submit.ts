/** Accepting a batch: whole or not at all, once per idempotency key, and in an order that any crash can be repaired from. */
import type { ContainerClient } from '@azure/storage-blob';
import type { BatchRow } from '../batches/batch-row.ts';
import { indexBatch } from '../batches/index-rows.ts';
import {
  type Claim,
  claimContent,
  claimKey,
  finishKey,
  keyRowOf,
  recordContent,
  releaseClaim,
  renewClaim,
} from '../batches/keys.ts';
import { insertBatch, readBatch } from '../batches/ledger.ts';
import { openBatch } from '../batches/open-rows.ts';
import type { Labels } from '../contract/labels.ts';
import { CONTAINERS, newBatchId } from '../contract/names.ts';
import type { Meter } from '../cost/meter.ts';
import { Problem, toError } from '../errors.ts';
import { readEntity, type Table } from '../storage/table.ts';
import { log } from '../telemetry/log.ts';
import { countAccepted } from '../telemetry/metrics.ts';
import { currentTraceparent, withSpan } from '../telemetry/trace.ts';
import type { EnqueueDeps } from '../wake/enqueue.ts';
import type { Workload } from '../workload/define.ts';
import { itemSchemaOf } from '../workload/item-schema.ts';
import { validChunks } from './check/check-items.ts';
import { chunkRowsOf, continueIntake } from './continue-intake.ts';
import type { UploadLimits } from './limits.ts';
import type { CsvOptions, CsvReading } from './parse/csv/csv-options.ts';
import type { UploadEncoding, UploadFormat } from './parse/formats.ts';
import { type ReadUpload, readUpload, type UploadSource } from './read-upload.ts';
import { CheckpointLostError } from './store/checkpoint.ts';
import { type ResumableSource, type StoredUpload, storeUpload } from './store/store-upload.ts';
import type { StoredPayload } from './store/write-payload.ts';

const RENEW_MS = 20_000;

export interface SubmitDeps extends EnqueueDeps {
  table: Table;
  keys: Table;
  container: (name: string) => ContainerClient;
  meter: Pick<Meter, 'measure' | 'knowsServiceTime'>;
}

/** An upload, with what its names say checked already. */
export interface SubmitRequest {
  workload: Workload;
  lane?: string | undefined;
  /** The client's idempotency key. */
  key?: string | undefined;
  /**
   * The key stands for this content and no other: it is remembered for as long as its batch, and not for seven days only,
   * and the content of a repeat is not compared.
   */
  keepsKey?: boolean;
  source: { kind: 'http' | 'inbox'; name: string };
  /** Of the uploaded file, without folders. */
  fileName?: string | undefined;
  labels?: Labels | undefined;
  body: AsyncIterable<Uint8Array>;
  format: UploadFormat;
  encoding: UploadEncoding;
  csv?: CsvOptions | undefined;
  limits: UploadLimits;
  /** Every item must fit the schema, or nothing is accepted; default as the workload says. */
  validate?: boolean | undefined;
  /** A source that can be read from any byte: its intake goes on where an earlier one was interrupted. */
  resumable?: ResumableSource;
  traceparent?: string | undefined;
}

/**
 * Stores, accepts and enqueues an upload, and gives its batch: the first one's for a repeated key.
 * @throws Problem for whatever is wrong with the upload or its key; then nothing of it is visible.
 */
export function submit(deps: SubmitDeps, request: SubmitRequest): Promise<BatchRow> {
  const { workload, source, traceparent: parent } = request;
  const attributes = { 'sluice.workload': workload.name, 'sluice.source': source.kind };
  return withSpan('sluice.intake', { parent, kind: 'producer', attributes }, async (span) => {
    const row = await submitOnce(deps, request);
    span.setAttributes({ 'sluice.batch': row.id, 'sluice.lane': row.lane, 'sluice.items': row.accepted });
    return row;
  });
}

async function submitOnce(deps: SubmitDeps, request: SubmitRequest): Promise<BatchRow> {
  if (!deps.meter.knowsServiceTime()) await askServiceTime(deps);
  if (request.key === undefined) return accept(deps, request, { batch: newBatchId(deps.gate.now()) });
  const claim = await claimKey(deps.keys, keyRowOf(request.workload.name, request.key), deps.gate.now());
  if (claim.digest !== undefined) return repeat(deps, request, claim, claim.digest);
  const renewing = setInterval(() => {
    renewClaim(deps.keys, claim.keyRow, deps.gate.now()).catch((error: unknown) =>
      log.warn('claim-not-renewed', { batch: claim.batch, error: toError(error) }),
    );
  }, RENEW_MS);
  try {
    const row = await accept(deps, request, claim);
    await finishKey(deps.keys, claim.keyRow, row.digest, request.keepsKey);
    return row;
  } catch (error) {
    if (!isHeldByOther(error)) await giveUp(deps, claim);
    throw error;
  } finally {
    clearInterval(renewing);
  }
}

/**
 * Any answer of storage has its time. Else the first write of a process would be dated by the machine's clock: a claim
 * made ten minutes ahead blocks its key for ten minutes when its upload dies.
 */
async function askServiceTime({ keys }: SubmitDeps): Promise<void> {
  await readEntity(keys, 'time', 'none');
}

async function giveUp(deps: SubmitDeps, claim: Claim): Promise<void> {
  try {
    await releaseClaim(deps.keys, claim.keyRow);
  } catch (error) {
    log.warn('claim-not-released', { batch: claim.batch, error: toError(error) });
  }
}

/** Whether the claim is not this upload's to release: the key has its batch, or another process goes on with the file. */
const isHeldByOther = (error: unknown): boolean =>
  error instanceof CheckpointLostError || (error instanceof Problem && error.type === 'idempotency-mismatch');

/** The key has its batch: the content is only compared, nothing is stored. */
async function repeat(deps: SubmitDeps, request: SubmitRequest, claim: Claim, digest: string): Promise<BatchRow> {
  if (request.keepsKey !== true) {
    const upload = open(request);
    for await (const _chunk of upload.chunks);
    if (upload.digest() !== digest) throw mismatch();
  }
  const stored = await readBatch(deps.table, claim.batch);
  if (!stored) throw new Problem('conflict', 'The batch of this idempotency key has been deleted.');
  return stored.row;
}

const mismatch = (): Problem =>
  new Problem('idempotency-mismatch', 'This idempotency key was used before, for an upload with other content.');

const open = (request: SubmitRequest, resumed?: Pick<UploadSource, 'body' | 'resume'>): ReadUpload =>
  readUpload({
    ...request,
    chunk: request.workload.chunk,
    schema: itemSchemaOf(request.workload),
    ...resumed,
  });

const mustBeValid = ({ workload, validate = workload.validateAtIntake }: SubmitRequest): boolean => validate;

type Claimed = Pick<Claim, 'batch'> & Partial<Claim>;

async function accept(deps: SubmitDeps, request: SubmitRequest, claim: Claimed): Promise<BatchRow> {
  const { value, operations } = await deps.meter.measure(async () => {
    const stored = await store(deps, request, claim);
    const { name, payload, upload } = stored;
    const row = newRow(deps, request, { ...claim, payload, name, digest: upload.digest(), csv: upload.csv() });
    await refuseRepeated(deps, request, { row, stored });
    await openBatch(deps.table, row);
    await indexBatch(deps.table, row);
    return { stored, row };
  });
  // The three operations of acceptance itself cannot be counted in the row that they write; they are fixed.
  const row = { ...value.row, operations: { ...operations, 'table.transaction': 1 } };
  const chunks = chunkRowsOf(row, value.stored.payload.chunks);
  const accepted = await insertBatch(deps.table, row, chunks);
  await value.stored.discardCheckpoint();
  if (!accepted) return await yieldTo(deps, row);
  log.info('batch-accepted', { batch: row.id, workload: row.workload, lane: row.lane, items: row.accepted });
  countAccepted(row, row.accepted);
  return finishIntake(deps, row, { chunks, etag: accepted.etag });
}

const store = (deps: SubmitDeps, request: SubmitRequest, { batch, repeated = false }: Claimed) => {
  const { workload, lane, format, encoding, csv, resumable } = request;
  const { name, version, chunk } = workload;
  return storeUpload(deps, {
    ...{ batch, repeated, workload: name, lane, encoding, resumable },
    open: (resumed) => {
      const upload = open(request, resumed);
      return mustBeValid(request) ? { ...upload, chunks: validChunks(workload, format, upload.chunks) } : upload;
    },
    reading: { version, chunk, format, encoding, csv, validate: mustBeValid(request), schema: itemSchemaOf(workload) },
  });
};

/**
 * Claims the content where the workload refuses what it had before. An upload over HTTP is recorded and never refused: its
 * client has a key to tell a repeat by.
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
  await deps.container(CONTAINERS.payloads).getBlobClient(row.payload).deleteIfExists();
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
  if (stored.row.payload !== own.payload) {
    await deps.container(CONTAINERS.payloads).getBlobClient(own.payload).deleteIfExists();
  }
  if (stored.row.digest !== own.digest) throw mismatch();
  const { state, revision } = stored.row;
  return state === 'accepting' && revision === 0 ? finishIntake(deps, stored.row) : stored.row;
}

const csvSummary = (workload: Workload, { delimiter, columns }: CsvReading): BatchRow['csv'] => ({
  delimiter,
  columns: columns.length,
  cells: itemSchemaOf(workload) === undefined ? 'text' : 'typed',
});

function newRow(
  deps: SubmitDeps,
  { workload, lane, source, fileName, labels, format, traceparent }: SubmitRequest,
  accepted: Claimed & { payload: StoredPayload; name: string; digest: string; csv: CsvReading | undefined },
): BatchRow {
  const now = deps.gate.now();
  const { payload, name, digest, csv, batch: id, keyRow } = accepted;
  const chosen = lane ?? workload.lane({ items: payload.items, bytes: payload.bytes });
  if (!workload.lanes.includes(chosen))
    throw new Error(`Workload "${workload.name}" chose lane "${chosen}", which it does not have.`);
  return {
    id,
    state: 'accepting',
    workload: workload.name,
    version: workload.version,
    lane: chosen,
    pool: workload.pool,
    sourceKind: source.kind,
    sourceName: source.name,
    fileName,
    labels,
    format,
    csv: csv && csvSummary(workload, csv),
    payload: name,
    digest,
    indexOffset: payload.indexOffset,
    indexLength: payload.indexLength,
    payloadBytes: payload.bytes,
    storedBytes: payload.storedBytes,
    chunksTotal: payload.chunks.length,
    chunksDone: 0,
    accepted: payload.items,
    succeeded: 0,
    dead: 0,
    cancelled: 0,
    retried: 0,
    duplicatesSeen: 0,
    revision: 0,
    reportRevision: -1,
    announced: false,
    acceptedAt: new Date(now).toISOString(),
    earlier: [],
    revisionItems: payload.items,
    openedAt: new Date(now).toISOString(),
    deadlineAt: new Date(now + workload.deadlineSeconds * 1000).toISOString(),
    handlerSeconds: 0,
    operations: {},
    keyRow,
    // Without one of the client the upload's own span is what the batch follows from.
    traceparent: traceparent ?? currentTraceparent(),
  };
}
