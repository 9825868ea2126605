/**
 * The ledger: a row a batch and a row a chunk, all of a batch in one partition, so that a chunk's end and the counters
 * change in one transaction. Every change is conditional on the ETag its row was read with.
 */
import { odata, type TableTransactionResponse, type TransactionAction } from '@azure/data-tables';
import { addOperations, type Operations } from '../contract/operations.ts';
import type { OutcomeHeader } from '../contract/outcome.ts';
import { log } from '../telemetry/log.ts';
import {
  BATCH_ROW_KEY,
  type BatchRow,
  type BatchState,
  fromBatchEntity,
  isSettled,
  toBatchEntity,
  type Versioned,
} from './batch-row.ts';
import { CHUNK_ROWS, type ChunkRow, chunkRowKey, fromChunkEntity, toChunkEntity } from './chunk-row.ts';
import { followUps } from './follow-ups.ts';
import { type Entity, isLostRace, queryEntities, readEntity, type Table, wins } from './table.ts';

/** A transaction takes 100 operations (learn: entity group transactions): the batch row, and these. */
export const MAX_CHUNK_ROWS_A_TRANSACTION = 98;

/** A chunk's end as a result message tells it. */
export interface ChunkEnd {
  chunk: string;
  header: OutcomeHeader;
}

/** What applying ends came to. `followUps` are pending rows that must (again) get their references. */
export interface Applied {
  batch: BatchRow;
  etag: string;
  /** All chunk rows of the batch as they are now, if they are known to be all: small batches are read whole. */
  allRows?: ChunkRow[];
  followUps: ChunkRow[];
  /** Chunks that this call moved to done. */
  fresh: Set<string>;
  duplicates: number;
}

/** The batch row, or undefined when there is no such batch (any more). */
export async function readBatch(table: Table, id: string): Promise<Versioned<BatchRow> | undefined> {
  const entity = await readEntity(table, id, BATCH_ROW_KEY);
  return entity && fromBatchEntity(entity as never);
}

/**
 * Accepts a batch: creates its row together with the first chunk rows. Undefined when the row exists: another upload of
 * the same key was faster.
 */
export async function insertBatch(
  table: Table,
  row: BatchRow,
  chunks: ChunkRow[],
): Promise<Versioned<BatchRow> | undefined> {
  const first = chunks.slice(0, MAX_CHUNK_ROWS_A_TRANSACTION).map((chunk) => create(toChunkEntity(chunk)));
  try {
    const done = await table.submitTransaction([create(toBatchEntity(row)), ...first]);
    return { row, etag: etagIn(done) };
  } catch (error) {
    if (isLostRace(error)) return undefined;
    throw error;
  }
}

/** The batch row's new ETag after a transaction. An unknown one matches no row, so that the next change reads it first. */
const etagIn = (done: TableTransactionResponse): string =>
  done.getResponseForEntity(BATCH_ROW_KEY)?.etag ?? UNKNOWN_ETAG;
const UNKNOWN_ETAG = 'W/"unknown"';

/**
 * Opens a revision: changes the batch row by its ETag, together with the first chunk rows. False when the batch was
 * changed since, or when the revision is open already.
 */
export function openRevision(
  table: Table,
  { etag, next, chunks }: { etag: string; next: BatchRow; chunks: ChunkRow[] },
): Promise<boolean> {
  const first = chunks.slice(0, MAX_CHUNK_ROWS_A_TRANSACTION).map((chunk) => create(toChunkEntity(chunk)));
  return wins(table.submitTransaction([['update', toBatchEntity(next), 'Replace', { etag }], ...first]));
}

/** Inserts pending rows; those that exist stay as they are, so that a repeat changes nothing. */
export async function insertChunks(table: Table, chunks: ChunkRow[]): Promise<void> {
  for (const group of groupsOf(chunks, MAX_CHUNK_ROWS_A_TRANSACTION)) {
    if (await wins(table.submitTransaction(group.map((chunk) => create(toChunkEntity(chunk)))))) continue;
    for (const chunk of group) await wins(table.createEntity(toChunkEntity(chunk)));
  }
}

/** Changes a batch row by ETag. `change` gives the new fields, or undefined to leave it; undefined = nothing was to change. */
export async function changeBatch(table: Table, id: string, change: Change): Promise<BatchRow | undefined> {
  const found = await readBatch(table, id);
  return found && (await changeFrom(table, found, change))?.row;
}

type Change = (row: BatchRow) => Partial<BatchRow> | undefined;

/** As `changeBatch`, from a row at hand: it is read again only when somebody was faster. */
export async function changeFrom(
  table: Table,
  known: Versioned<BatchRow>,
  change: Change,
): Promise<Versioned<BatchRow> | undefined> {
  for (let found: Versioned<BatchRow> | undefined = known; found; found = await readBatch(table, known.row.id)) {
    const fields = change(found.row);
    if (!fields) return undefined;
    const row = { ...found.row, ...fields };
    const etag = await tryUpdate(table, row, found.etag);
    if (etag !== undefined) return { row, etag };
  }
  return undefined;
}

/** The new ETag, or undefined when the row has changed since. */
async function tryUpdate(table: Table, row: BatchRow, etag: string): Promise<string | undefined> {
  try {
    return (await table.updateEntity(toBatchEntity(row), 'Replace', { etag })).etag ?? UNKNOWN_ETAG;
  } catch (error) {
    if (isLostRace(error)) return undefined;
    throw error;
  }
}

/** All chunk rows of a batch in id order (an operation a thousand). */
export async function* chunkRows(
  table: Table,
  id: string,
  state?: ChunkRow['state'],
): AsyncGenerator<Versioned<ChunkRow>> {
  const range = odata`PartitionKey eq ${id} and RowKey ge ${CHUNK_ROWS.from} and RowKey lt ${CHUNK_ROWS.to}`;
  const filter = state === undefined ? range : `${range} and ${odata`state eq ${state}`}`;
  for await (const entity of queryEntities(table, filter)) yield fromChunkEntity(entity as never);
}

/** What the collecting transaction needs beside the ends themselves. */
export interface ApplyOptions {
  at: string;
  operations: Operations;
}

/**
 * Moves chunks from pending to done, inserts the rows of what follows, and moves the counters: one transaction for at
 * most 98 rows. Chunks that are done already are counted as duplicates and dropped; their follow-ups that are still
 * pending are given back, to be put again. Undefined when the batch does not exist.
 */
export async function applyEnds(
  table: Table,
  id: string,
  ends: ChunkEnd[],
  options: ApplyOptions,
): Promise<Applied | undefined> {
  for (;;) {
    const read = await readForApply(table, id, ends);
    if (!read) return undefined;
    const plan = planApply(read, ends, options);
    try {
      const done = await table.submitTransaction(plan.actions);
      return { ...plan.applied, etag: etagIn(done) };
    } catch (error) {
      if (!isLostRace(error)) throw error;
      log.debug('ledger-race', { batch: id });
    }
  }
}

interface ApplyRead {
  batch: Versioned<BatchRow>;
  chunks: Map<string, Versioned<ChunkRow>>;
}

/** One query, in key order: the batch row comes before its chunk rows, as the ledger's first rule wants. */
async function readForApply(table: Table, id: string, ends: ChunkEnd[]): Promise<ApplyRead | undefined> {
  // What follows from a chunk sorts behind the chunk without its retry number ("c.000001" < "c.000001.r1", and from
  // r9 follows r10, which sorts before it), up to the next character.
  const keys = ends.map((end) => chunkRowKey(end.chunk.replace(/\.r\d+$/, ''))).sort();
  const [from = '', to = ''] = [keys[0], `${keys.at(-1)}/`];
  const filter = odata`PartitionKey eq ${id} and (RowKey eq ${BATCH_ROW_KEY} or (RowKey ge ${from} and RowKey le ${to}))`;
  let batch: Versioned<BatchRow> | undefined;
  const chunks = new Map<string, Versioned<ChunkRow>>();
  for await (const entity of queryEntities(table, filter)) {
    if (entity.rowKey === BATCH_ROW_KEY) batch = fromBatchEntity(entity as never);
    else addChunk(chunks, entity);
  }
  return batch && { batch, chunks };
}

function addChunk(chunks: Map<string, Versioned<ChunkRow>>, entity: Entity): void {
  const found = fromChunkEntity(entity as never);
  chunks.set(found.row.chunk, found);
}

function planApply(
  read: ApplyRead,
  ends: ChunkEnd[],
  options: ApplyOptions,
): { actions: TransactionAction[]; applied: Omit<Applied, 'etag'> } {
  const actions: TransactionAction[] = [];
  const batch = { ...read.batch.row };
  const applied: Omit<Applied, 'etag'> = { batch, followUps: [], fresh: new Set(), duplicates: 0 };
  const rows = new Map([...read.chunks].map(([chunk, { row }]) => [chunk, row]));
  for (const end of unique(ends)) {
    const found = read.chunks.get(end.chunk);
    if (found?.row.state === 'pending') {
      const { done, next } = finish(found.row, end, options.at);
      actions.push(
        ['update', toChunkEntity(done), 'Replace', { etag: found.etag }],
        ...next.map((row) => create(toChunkEntity(row))),
      );
      for (const row of [done, ...next]) rows.set(row.chunk, row);
      applied.followUps.push(...next);
      applied.fresh.add(end.chunk);
      count(batch, end.header, next.length);
    } else {
      applied.duplicates += 1;
      applied.followUps.push(...stillPending(read, found?.row));
    }
  }
  applied.duplicates += ends.length - unique(ends).length;
  if (ends.length > 0) actions.unshift(updateBatch(read.batch, batch, applied.duplicates, options));
  if (rows.size === batch.chunksTotal) applied.allRows = [...rows.values()].sort(byChunk);
  return { actions, applied };
}

/** `accepting` stays: it says that intake has not come to its end, and only intake or the sweep knows better. */
function updateBatch(
  found: Versioned<BatchRow>,
  batch: BatchRow,
  duplicates: number,
  options: ApplyOptions,
): TransactionAction {
  batch.duplicatesSeen += duplicates;
  batch.operations = addOperations(batch.operations, options.operations);
  batch.startedAt ??= options.at;
  if (batch.state === 'queued') batch.state = 'running';
  return ['update', toBatchEntity(batch), 'Replace', { etag: found.etag }];
}

function finish(row: ChunkRow, end: ChunkEnd, at: string): { done: ChunkRow; next: ChunkRow[] } {
  const { dueAt: _dueAt, ...rest } = row;
  return {
    done: { ...rest, state: 'done', header: end.header, doneAt: at },
    next: followUps(row.reference, end.header),
  };
}

function count(batch: BatchRow, header: OutcomeHeader, next: number): void {
  batch.chunksDone += 1;
  batch.chunksTotal += next;
  batch.succeeded += header.counts.succeeded;
  batch.dead += header.counts.dead;
  batch.cancelled += header.counts.cancelled;
  if (header.ending !== 'split') batch.retried += header.counts.retried;
  batch.handlerSeconds += header.handlerSeconds;
}

const stillPending = (read: ApplyRead, row: ChunkRow | undefined): ChunkRow[] =>
  row?.header === undefined
    ? []
    : followUps(row.reference, row.header).filter((next) => read.chunks.get(next.chunk)?.row.state === 'pending');

const byChunk = (a: ChunkRow, b: ChunkRow): number => (chunkRowKey(a.chunk) < chunkRowKey(b.chunk) ? -1 : 1);

const unique = (ends: ChunkEnd[]): ChunkEnd[] => [...new Map(ends.map((end) => [end.chunk, end])).values()];

const create = (entity: Record<string, unknown> & { partitionKey: string; rowKey: string }): TransactionAction => [
  'create',
  entity,
];

/** Cuts a list into runs of at most `size`. */
export function groupsOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, index) =>
    list.slice(index * size, (index + 1) * size),
  );
}

/** Moves a batch forward to `to` if its state is one of `from`; undefined when somebody was faster. */
export const moveBatch = (
  table: Table,
  id: string,
  from: BatchState[],
  to: Partial<BatchRow>,
): Promise<BatchRow | undefined> =>
  changeBatch(table, id, (row) => (from.includes(row.state) && !isSettled(row.state) ? to : undefined));
