/**
 * The ledger: one row per batch and one row per chunk, all rows of a batch in one partition, so that one transaction
 * changes a chunk's end and the counters. Every change is conditional on the ETag with which its row was read.
 */
import { BatchGoneError } from '../errors.ts';
import { groupsOf, groupsOfSource } from '../groups-of.ts';
import type { StoredEntity } from '../storage/entity.ts';
import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import { isLostRace, odata, queryEntities, readEntity, type StoredAction, type Table, wins } from '../storage/table.ts';
import { UNKNOWN_ETAG, writeRow } from '../storage/write-row.ts';
import { BATCH_ROW_KEY, type BatchRow, fromBatchEntity, toBatchEntity, type Versioned } from './batch-row.ts';
import { charged, TRANSACTION, UPDATE } from './charge.ts';
import { CHUNK_ROWS, type ChunkRow, type ChunkRows, chunkRowKey, fromChunkEntity, toChunkEntity } from './chunk-row.ts';

/**
 * Maximum number of chunk rows per transaction. A transaction can have 100 operations (source: Microsoft Learn, entity
 * group transactions). One is for the batch row, and one is spare.
 */
export const MAX_CHUNK_ROWS_PER_TRANSACTION = 98;

/** Reads the batch row; undefined if there is no such batch (any more). */
export async function readBatch(table: Table, id: string): Promise<Versioned<BatchRow> | undefined> {
  const entity = await readEntity(table, id, BATCH_ROW_KEY);
  return entity && fromBatchEntity(entity);
}

/**
 * Reads the row of a batch that must exist.
 * @throws BatchGoneError also if it is being deleted: what is written to it now would be left behind.
 */
export async function requireBatch(table: Table, id: string): Promise<Versioned<BatchRow>> {
  const found = await readBatch(table, id);
  if (!found || found.row.deletingAt !== undefined)
    throw new BatchGoneError(id, { isBeingDeleted: found !== undefined });
  return found;
}

/**
 * Accepts a batch: creates its row together with the first chunk rows. Returns undefined if another upload with the
 * same key was faster. A row that contains this upload's payload is our own, and only its response was lost.
 */
export async function insertBatch(
  table: Table,
  row: BatchRow,
  chunks: ChunkRow[],
): Promise<Versioned<BatchRow> | undefined> {
  const next = charged(row, TRANSACTION);
  try {
    const done = await table.submitTransaction([create(toBatchEntity(next.row)), ...createFirst(chunks)]);
    next.stored();
    return { row: next.row, etag: etagIn(done) };
  } catch (error) {
    if (!isLostRace(error)) throw error;
    const found = await readBatch(table, row.id);
    if (found?.row.payload !== row.payload) return undefined;
    next.stored();
    // It may have been changed since.
    return { row: next.row, etag: UNKNOWN_ETAG };
  }
}

/**
 * Returns the new ETag of the batch row after a transaction that has it first; the SDK finds responses by row key only
 * for inserts.
 */
export const etagIn = ({ subResponses }: Awaited<ReturnType<Table['submitTransaction']>>): string =>
  subResponses[0]?.etag ?? UNKNOWN_ETAG;

/**
 * Opens a revision: changes the batch row by its ETag, together with the first chunk rows. Returns false if the batch
 * was changed since, or if the revision is already open.
 */
export async function openRevision(
  table: Table,
  { etag, next, chunks }: { etag: string; next: BatchRow; chunks: Iterable<ChunkRow> },
): Promise<boolean> {
  const { row, stored } = charged(next, TRANSACTION);
  const replace: StoredAction = ['update', toBatchEntity(row), 'Replace', { etag }];
  const isOpen = await wins(table.submitTransaction([replace, ...createFirst(chunks)]));
  if (isOpen) stored();
  return isOpen;
}

/**
 * Inserts pending rows. Existing rows stay as they are, so that a repeat changes nothing. Holds the rows of one transaction
 * at a time: a batch can have a million.
 */
export async function insertChunks(table: Table, chunks: ChunkRows): Promise<void> {
  for await (const group of groupsOfSource(chunks, MAX_CHUNK_ROWS_PER_TRANSACTION)) {
    if (await wins(table.submitTransaction(group.map((chunk) => create(toChunkEntity(chunk)))))) continue;
    for (const chunk of group) await wins(table.createEntity(toChunkEntity(chunk)));
  }
}

/**
 * Changes a batch row by ETag. `change` returns the new fields, or undefined to leave the row as it is; then the result
 * is undefined, too.
 * @throws BatchGoneError
 */
export async function changeBatch(table: Table, id: string, change: Change): Promise<BatchRow | undefined> {
  return (await changeFrom(table, await requireBatch(table, id), change))?.row;
}

type Change = (row: BatchRow) => Partial<BatchRow> | undefined;

/**
 * Changes a batch row like `changeBatch`, starting from a known row: it is read again only after a lost race. `follows`
 * are the operations of the write and of what follows it, which are charged to the batch; the write alone by default.
 * @throws BatchGoneError
 */
export function changeFrom(
  table: Table,
  known: Versioned<BatchRow>,
  change: Change,
  follows = UPDATE,
): Promise<Versioned<BatchRow> | undefined> {
  let atHand: Versioned<BatchRow> | undefined = known;
  return retryLostRace(rowOf(known.row.id), async () => {
    const found = atHand ?? (await requireBatch(table, known.row.id));
    atHand = undefined;
    const fields = change(found.row);
    if (!fields) return undefined;
    const { row, stored } = charged({ ...found.row, ...fields }, follows);
    const etag = await writeRow(table, toBatchEntity(row), found.etag);
    if (etag === undefined) return LOST_RACE;
    stored();
    return { row, etag };
  });
}

/** The name of a batch row in errors. */
export const rowOf = (id: string): string => `row of batch ${id}`;

/** Reads a chunk row; undefined if there is no such chunk. */
export async function readChunk(table: Table, batch: string, chunk: string): Promise<ChunkRow | undefined> {
  const entity = await readEntity(table, batch, chunkRowKey(chunk));
  return entity && fromChunkEntity(entity).row;
}

/** Selects chunk rows: in a state, and from chunk `first` to chunk `last` with its follow-ups (retries and parts). */
export interface ChunkFilter {
  state?: ChunkRow['state'];
  first?: string | undefined;
  last?: string;
}

/** Reads the chunk rows of a batch in id order, by default all: one operation per 1,000 rows that are consumed. */
export async function* chunkRows(
  table: Table,
  id: string,
  { state, first, last }: ChunkFilter = {},
): AsyncGenerator<ChunkRow> {
  const from = first === undefined ? CHUNK_ROWS.from : chunkRowKey(first);
  // The id of a follow-up begins with the id of its parent and a dot; '/' is the next character after the dot.
  const to = last === undefined ? CHUNK_ROWS.to : `${chunkRowKey(last)}/`;
  const range = odata`PartitionKey eq ${id} and RowKey ge ${from} and RowKey lt ${to}`;
  const filter = state === undefined ? range : `${range} and ${odata`state eq ${state}`}`;
  for await (const entity of queryEntities(table, filter)) yield fromChunkEntity(entity).row;
}

/** Creates the action that inserts an entity in a transaction. */
export const create = (entity: StoredEntity): StoredAction => ['create', entity];

function createFirst(chunks: Iterable<ChunkRow>): StoredAction[] {
  const [rows = []] = groupsOf(chunks, MAX_CHUNK_ROWS_PER_TRANSACTION);
  return rows.map((chunk) => create(toChunkEntity(chunk)));
}
