import type { TableEntityResult } from '@azure/data-tables';
import { type OutcomeHeader, outcomeHeaderSchema } from '../contract/outcome.ts';
import { type Reference, referenceSchema } from '../contract/reference.ts';
import type { Versioned } from './batch-row.ts';

/** The row of a chunk: pending with the reference to put again, then done, once, with the header of its outcome. */
export interface ChunkRow {
  batch: string;
  chunk: string;
  state: 'pending' | 'done';
  items: number;
  reference: Reference;
  header?: OutcomeHeader | undefined;
  doneAt?: string | undefined;
  /** Id of the result message that ended it: later deliveries of that message publish its dead letters again. */
  endedBy?: string | undefined;
  /** Earliest time a retry may run; its message is invisible until then. */
  dueAt?: string | undefined;
}

const PREFIX = 'c.';
/** Bounds of all chunk rows in a query by row key: '/' is the character after '.'. */
export const CHUNK_ROWS = { from: PREFIX, to: 'c/' } as const;

/** The row key of a chunk. */
export const chunkRowKey = (chunk: string): string => `${PREFIX}${chunk}`;

/** The table entity of a chunk row. */
export function toChunkEntity(row: ChunkRow): Record<string, unknown> & { partitionKey: string; rowKey: string } {
  const { batch, chunk, reference, header, ...rest } = row;
  return {
    partitionKey: batch,
    rowKey: chunkRowKey(chunk),
    ...rest,
    reference: JSON.stringify(reference),
    ...(header === undefined ? {} : { header: JSON.stringify(header) }),
  };
}

/** A chunk row from its entity. */
export function fromChunkEntity(entity: TableEntityResult<Record<string, unknown>>): Versioned<ChunkRow> {
  const {
    etag,
    partitionKey: batch = '',
    rowKey = '',
    state,
    items,
    doneAt,
    endedBy,
    dueAt,
    reference,
    header,
  } = entity;
  const row: ChunkRow = {
    batch,
    chunk: rowKey.slice(PREFIX.length),
    state: state === 'done' ? 'done' : 'pending',
    items: Number(items),
    reference: referenceSchema.parse(JSON.parse(String(reference))),
    ...(header === undefined ? {} : { header: outcomeHeaderSchema.parse(JSON.parse(String(header))) }),
    ...(doneAt === undefined ? {} : { doneAt: String(doneAt) }),
    ...(endedBy === undefined ? {} : { endedBy: String(endedBy) }),
    ...(dueAt === undefined ? {} : { dueAt: String(dueAt) }),
  };
  return { row, etag };
}
