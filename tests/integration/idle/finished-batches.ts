import { BATCH, type BatchRow, toBatchEntity } from '../../../shared/batches/batch-row.ts';
import { toChunkEntity } from '../../../shared/batches/chunk-row.ts';
import { indexBatch, toIndexEntity } from '../../../shared/batches/listing/index-rows.ts';
import { chunkId, newBatchId } from '../../../shared/contract/names.ts';
import { groupsOf } from '../../../shared/groups-of.ts';
import { chunkRowOf } from '../../../shared/intake/continue-intake.ts';
import type { Clients } from '../../../shared/storage/clients.ts';
import type { Table } from '../../../shared/storage/table.ts';

const HOUR_MS = 3_600_000;
const CHUNKS = 2;
const ITEMS = 1_000;
const ROWS_PER_TRANSACTION = 100;

/** Stores what remains of a batch that was accepted at `acceptedMs` and completed an hour later; returns its id. */
export async function storeFinishedBatch(
  clients: Pick<Clients, 'batches' | 'container'>,
  workload: string,
  acceptedMs: number,
): Promise<string> {
  const row = finishedBatch(workload, acceptedMs);
  await clients.container('payloads').getBlockBlobClient(row.payload).upload('x', 1);
  await insertRows(clients.batches, row);
  await indexBatch(clients.batches, row);
  return row.id;
}

/**
 * Stores the rows of that many batches in the listing, a millisecond apart: all within a day, if that is long enough.
 */
export async function storeLines(table: Table, workload: string, { count, from }: { count: number; from: number }) {
  const rows = Array.from({ length: count }, (_, nth) => toIndexEntity(finishedBatch(workload, from + nth)));
  for (const group of groupsOf(rows, ROWS_PER_TRANSACTION))
    await table.submitTransaction(group.map((entity) => ['create', entity]));
}

async function insertRows(table: Table, row: BatchRow): Promise<void> {
  const entry = {
    offset: 0,
    length: 1,
    bytes: 1,
    items: ITEMS,
    firstItem: 0,
    firstLine: 1,
    lines: Buffer.alloc(0),
    digest: 'sha256:0',
  };
  const chunks = Array.from({ length: CHUNKS }, (_, position) => chunkRowOf(row, entry, position));
  const done = chunks.map((chunk, index) => ({ ...chunk, chunk: chunkId(index), state: 'done' as const }));
  const entities = [toBatchEntity(row), ...done.map(toChunkEntity)];
  await table.submitTransaction(entities.map((entity) => ['create', entity]));
}

function finishedBatch(workload: string, acceptedMs: number): BatchRow {
  const id = newBatchId(acceptedMs);
  const accepted = ITEMS * CHUNKS;
  return {
    ...BATCH.initial,
    id,
    state: 'completed',
    ...{ workload, version: 1, lane: 'normal', pool: 'default', sourceKind: 'http', sourceName: 'idle' },
    ...{ payload: `${id}/x.ndjson.zst`, digest: 'sha256:0', indexOffset: 0, indexLength: 1 },
    ...{ payloadBytes: 1, storedBytes: 1, chunksTotal: CHUNKS, chunksDone: CHUNKS },
    ...{ accepted, succeeded: accepted, revisionItems: accepted },
    ...{ reportRevision: 0, announced: true, handlerSeconds: 1 },
    acceptedAt: new Date(acceptedMs).toISOString(),
    openedAt: new Date(acceptedMs).toISOString(),
    deadlineAt: new Date(acceptedMs + HOUR_MS).toISOString(),
    completedAt: new Date(acceptedMs + HOUR_MS).toISOString(),
  };
}
