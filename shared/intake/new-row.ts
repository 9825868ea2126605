import { BATCH, type BatchRow } from '../batches/batch-row.ts';
import type { Claim } from '../batches/keys.ts';
import { queueOffsetOf } from '../queues/queue-of.ts';
import { currentTraceparent } from '../telemetry/trace.ts';
import type { Workload } from '../workload/define.ts';
import { itemSchemaOf } from '../workload/item-schema.ts';
import type { CsvReading } from './parse/csv-options.ts';
import type { StoredPayload } from './store/write-payload.ts';
import type { SubmitDeps, SubmitRequest } from './submit-request.ts';

/** An upload whose payload is stored. `name` is the name of the payload blob; `csv` is undefined for other formats. */
export interface StoredBatch {
  batch: string;
  keyRow?: Claim['keyRow'];
  payload: StoredPayload;
  name: string;
  digest: string;
  csv: CsvReading | undefined;
}

/**
 * Creates the row of a batch that is about to be accepted.
 * @throws Error if the workload chooses a lane that it does not have.
 */
export function newRow(
  { gate }: Pick<SubmitDeps, 'gate'>,
  { workload, lane, source, producer, fileName, labels, format, traceparent }: SubmitRequest,
  stored: StoredBatch,
): BatchRow {
  const now = gate.now();
  const { payload, name, digest, csv, batch: id, keyRow } = stored;
  const chosen = lane ?? workload.lane({ items: payload.items, bytes: payload.bytes });
  if (!workload.lanes.includes(chosen))
    throw new Error(`Workload "${workload.name}" chose lane "${chosen}", which it does not have.`);
  return {
    ...BATCH.initial,
    id,
    state: 'enqueueing',
    workload: workload.name,
    version: workload.version,
    lane: chosen,
    queueOffset: queueOffsetOf(id),
    pool: workload.pool,
    sourceKind: source.kind,
    sourceName: source.name,
    sourceEtag: source.etag,
    producer,
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
    chunksTotal: payload.chunks,
    accepted: payload.items,
    acceptedAt: new Date(now).toISOString(),
    revisionItems: payload.items,
    openedAt: new Date(now).toISOString(),
    deadlineAt: new Date(now + workload.deadlineSeconds * 1000).toISOString(),
    keyRow,
    // If the client sent no trace context, the batch follows from the upload's own span.
    traceparent: traceparent ?? currentTraceparent(),
  };
}

const csvSummary = (workload: Workload, { delimiter, columns }: CsvReading): BatchRow['csv'] => ({
  delimiter,
  columns: columns.length,
  cells: itemSchemaOf(workload) === undefined ? 'text' : 'typed',
});
