import { type OutcomeHeader, outcomeHeaderSchema } from '../contract/outcome.ts';
import { type Reference, referenceSchema } from '../contract/reference.ts';
import { type Entity, fromEntity, type StoredEntity, toEntity } from '../storage/entity.ts';
import { defineRow, int64, json, optional, type RowOf, text } from '../storage/row.ts';
import type { Versioned } from './batch-row.ts';

/** The row of a chunk: pending, with the reference to put again; then done, once, with the header of its outcome. */
export const CHUNK = defineRow('chunk', {
  state: text<'pending' | 'done'>(),
  items: int64(),
  reference: json<Reference>(),
  header: optional(json<OutcomeHeader>()),
  doneAt: optional(text()),
  /** Id of its result message or, for a small batch, its reference; later deliveries publish the same events again. */
  endedBy: optional(text()),
  /** Earliest time at which a retry may run; its message is invisible until then. */
  dueAt: optional(text()),
});
export type ChunkRow = RowOf<typeof CHUNK> & { batch: string; chunk: string };

/** Rows of one batch, which need not fit into memory. */
export type ChunkRows = Iterable<ChunkRow> | AsyncIterable<ChunkRow>;

const PREFIX = 'c.';
/** Bounds of all chunk rows in a query by row key: '/' is the character after '.'. */
export const CHUNK_ROWS = { from: PREFIX, to: 'c/' } as const;

export const chunkRowKey = (chunk: string): string => `${PREFIX}${chunk}`;

/** The table entity of a chunk row. */
export const toChunkEntity = ({ batch, chunk, ...columns }: ChunkRow): StoredEntity =>
  toEntity(CHUNK, { partitionKey: batch, rowKey: chunkRowKey(chunk) }, columns);

/** With the ETag under which the row was read: a change of the row is conditional on it. */
export function fromChunkEntity(entity: Entity): Versioned<ChunkRow> {
  const stored = fromEntity(CHUNK, entity);
  const row: ChunkRow = {
    batch: entity.partitionKey,
    chunk: entity.rowKey.slice(PREFIX.length),
    ...stored,
    reference: referenceSchema.parse(stored.reference),
    ...(stored.header === undefined ? {} : { header: outcomeHeaderSchema.parse(stored.header) }),
  };
  return { row, etag: entity.etag };
}
