import { type OutcomeHeader, outcomeHeaderSchema } from '../contract/outcome.ts';
import { type Reference, referenceSchema } from '../contract/reference.ts';
import { type Entity, fromEntity, type StoredEntity, toEntity } from '../storage/entity.ts';
import type { Versioned } from './batch-row.ts';

/**
 * The row of a chunk: first pending, with the reference to put again; then done, exactly once, with the header of its
 * outcome.
 */
export interface ChunkRow {
  batch: string;
  chunk: string;
  state: 'pending' | 'done';
  items: number;
  reference: Reference;
  header?: OutcomeHeader | undefined;
  doneAt?: string | undefined;
  /**
   * Id of the message that ended it: of its result message (derived from the text) or, for a small batch, of its reference.
   * Later deliveries of that message publish its dead letters again.
   */
  endedBy?: string | undefined;
  /** Earliest time at which a retry may run; its message is invisible until then. */
  dueAt?: string | undefined;
}

const PREFIX = 'c.';
/** Bounds of all chunk rows in a query by row key: '/' is the character after '.'. */
export const CHUNK_ROWS = { from: PREFIX, to: 'c/' } as const;

/** The row key of a chunk. */
export const chunkRowKey = (chunk: string): string => `${PREFIX}${chunk}`;

/** The table entity of a chunk row. */
export const toChunkEntity = ({ batch, chunk, ...columns }: ChunkRow): StoredEntity =>
  toEntity('chunk', { partitionKey: batch, rowKey: chunkRowKey(chunk) }, columns);

/** A chunk row from its entity. */
export function fromChunkEntity(entity: Entity): Versioned<ChunkRow> {
  const { state, items = 0, reference, header, doneAt, endedBy, dueAt } = fromEntity('chunk', entity);
  const row: ChunkRow = {
    batch: entity.partitionKey,
    chunk: entity.rowKey.slice(PREFIX.length),
    state: state === 'done' ? 'done' : 'pending',
    items,
    reference: referenceSchema.parse(reference),
    ...(header === undefined ? {} : { header: outcomeHeaderSchema.parse(header) }),
    ...(doneAt === undefined ? {} : { doneAt }),
    ...(endedBy === undefined ? {} : { endedBy }),
    ...(dueAt === undefined ? {} : { dueAt }),
  };
  return { row, etag: entity.etag };
}
