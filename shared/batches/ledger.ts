/**
 * The ledger: a row a batch and a row a chunk, all of a batch in one partition, so that a chunk's end and the counters
 * change in one transaction. Every change is conditional on the ETag its row was read with.
 */
import { groupsOf } from '../groups-of.ts';
import type { StoredEntity } from '../storage/entity.ts';
import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import { isLostRace, odata, queryEntities, readEntity, type StoredAction, type Table, wins } from '../storage/table.ts';
import { UNKNOWN_ETAG, writeRow } from '../storage/write-row.ts';
import { BATCH_ROW_KEY, type BatchRow, fromBatchEntity, toBatchEntity, type Versioned } from './batch-row.ts';
import { CHUNK_ROWS, type ChunkRow, chunkRowKey, fromChunkEntity, toChunkEntity } from './chunk-row.ts';

/** A transaction takes 100 operations (learn: entity group transactions): the batch row, and these. */
export const MAX_CHUNK_ROWS_PER_TRANSACTION = 98;

/** The batch row, or undefined when there is no such batch (any more). */
export async function readBatch(table: Table, id: string): Promise<Versioned<BatchRow> | undefined> {
  const entity = await readEntity(table, id, BATCH_ROW_KEY);
  return entity && fromBatchEntity(entity);
}

/**
 * Accepts a batch: creates its row together with the first chunk rows. Undefined when another upload of the same key was
 * faster; a row that names this upload's payload is its own, whose answer was lost.
 */
export async function insertBatch(
  table: Table,
  row: BatchRow,
  chunks: ChunkRow[],
): Promise<Versioned<BatchRow> | undefined> {
  const first = chunks.slice(0, MAX_CHUNK_ROWS_PER_TRANSACTION).map((chunk) => create(toChunkEntity(chunk)));
  try {
    const done = await table.submitTransaction([create(toBatchEntity(row)), ...first]);
    return { row, etag: etagIn(done) };
  } catch (error) {
    if (!isLostRace(error)) throw error;
    const found = await readBatch(table, row.id);
    // It may have been changed since.
    return found?.row.payload === row.payload ? { row, etag: UNKNOWN_ETAG } : undefined;
  }
}

/** The batch row's new ETag after a transaction that names it first; the SDK finds answers by row key only for inserts. */
export const etagIn = ({ subResponses }: Awaited<ReturnType<Table['submitTransaction']>>): string =>
  subResponses[0]?.etag ?? UNKNOWN_ETAG;

/**
 * Opens a revision: changes the batch row by its ETag, together with the first chunk rows. False when the batch was
 * changed since, or when the revision is open already.
 */
export function openRevision(
  table: Table,
  { etag, next, chunks }: { etag: string; next: BatchRow; chunks: ChunkRow[] },
): Promise<boolean> {
  const first = chunks.slice(0, MAX_CHUNK_ROWS_PER_TRANSACTION).map((chunk) => create(toChunkEntity(chunk)));
  return wins(table.submitTransaction([['update', toBatchEntity(next), 'Replace', { etag }], ...first]));
}

/** Inserts pending rows; those that exist stay as they are, so that a repeat changes nothing. */
export async function insertChunks(table: Table, chunks: ChunkRow[]): Promise<void> {
  for (const group of groupsOf(chunks, MAX_CHUNK_ROWS_PER_TRANSACTION)) {
    if (await wins(table.submitTransaction(group.map((chunk) => create(toChunkEntity(chunk)))))) continue;
    for (const chunk of group) await wins(table.createEntity(toChunkEntity(chunk)));
  }
}

/**
 * Changes a batch row by ETag. `change` gives the new fields, or undefined to leave it; undefined = nothing was to
 * change.
 */
export async function changeBatch(table: Table, id: string, change: Change): Promise<BatchRow | undefined> {
  const found = await readBatch(table, id);
  return found && (await changeFrom(table, found, change))?.row;
}

type Change = (row: BatchRow) => Partial<BatchRow> | undefined;

/** As `changeBatch`, from a row at hand: it is read again only when somebody was faster. */
export function changeFrom(
  table: Table,
  known: Versioned<BatchRow>,
  change: Change,
): Promise<Versioned<BatchRow> | undefined> {
  let atHand: Versioned<BatchRow> | undefined = known;
  return retryLostRace(rowOf(known.row.id), async () => {
    const found = atHand ?? (await readBatch(table, known.row.id));
    atHand = undefined;
    const fields = found && change(found.row);
    if (!fields) return undefined;
    const row = { ...found.row, ...fields };
    const etag = await writeRow(table, toBatchEntity(row), found.etag);
    return etag === undefined ? LOST_RACE : { row, etag };
  });
}

/** How a batch row is named in errors. */
export const rowOf = (id: string): string => `row of batch ${id}`;

/** A chunk row, or undefined when there is none of that id. */
export async function readChunk(table: Table, batch: string, chunk: string): Promise<ChunkRow | undefined> {
  const entity = await readEntity(table, batch, chunkRowKey(chunk));
  return entity && fromChunkEntity(entity).row;
}

/** All chunk rows of a batch in id order (an operation a thousand). */
export async function* chunkRows(
  table: Table,
  id: string,
  state?: ChunkRow['state'],
): AsyncGenerator<Versioned<ChunkRow>> {
  const range = odata`PartitionKey eq ${id} and RowKey ge ${CHUNK_ROWS.from} and RowKey lt ${CHUNK_ROWS.to}`;
  const filter = state === undefined ? range : `${range} and ${odata`state eq ${state}`}`;
  for await (const entity of queryEntities(table, filter)) yield fromChunkEntity(entity);
}

/**
 * Reads the rows of the chunks from `first` to `last` and of their follow-ups: retries and parts. Both are of the same
 * revision (one operation per thousand rows).
 */
export async function* chunkFamilies(
  table: Table,
  id: string,
  { first, last }: { first: string; last: string },
): AsyncGenerator<ChunkRow> {
  // Ids of follow-ups begin with that of their parent and a dot, and '/' is the character after it.
  const [from, to] = [chunkRowKey(first), `${chunkRowKey(last)}/`];
  const filter = odata`PartitionKey eq ${id} and RowKey ge ${from} and RowKey lt ${to}`;
  for await (const entity of queryEntities(table, filter)) yield fromChunkEntity(entity).row;
}

/** An insertion, as an action of a transaction. */
export const create = (entity: StoredEntity): StoredAction => ['create', entity];
