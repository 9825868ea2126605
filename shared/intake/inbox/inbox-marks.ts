/**
 * Marks of inbox files that were accepted or rejected but could not be moved. Such a file must not become another batch,
 * neither when its idempotency key expires nor when its batch is deleted. Therefore a mark exists as long as its file: a
 * complete listing without the file removes the mark.
 */
import { createHash } from 'node:crypto';
import { fromEntity, toEntity } from '../../storage/entity.ts';
import { defineRow, optional, text } from '../../storage/row.ts';
import { odata, queryEntities, type Table, wins } from '../../storage/table.ts';

/** Stored beside the idempotency keys, whose partitions are hashes. */
const PARTITION = 'inbox';

/** An inbox file that was accepted (`batch`) or rejected, and could not be moved away. */
export const MARK = defineRow('mark', { name: text(''), batch: optional(text()) });

/** The decision about a file: the batch that it became, or that it was rejected. */
export type InboxDecision = { batch: string } | { rejected: true };

/** A version of a file. `etag` has no quotes, as in listings. */
export interface FileVersion {
  name: string;
  etag: string;
}

const rowKeyOf = ({ name, etag }: FileVersion): string => createHash('sha256').update(`${name}\n${etag}`).digest('hex');

/** `etag` is that of the row. */
type Mark = FileVersion & { decision: InboxDecision };

export class InboxMarks {
  readonly #table: Table;
  readonly #seen = new Set<string>();
  #found: Promise<Map<string, Mark>> | undefined;

  constructor(table: Table) {
    this.#table = table;
  }

  /** Returns the earlier decision about this version of a file. The first call reads all marks with one query. */
  async find(file: FileVersion): Promise<InboxDecision | undefined> {
    this.#found ??= this.#read();
    const key = rowKeyOf(file);
    this.#seen.add(key);
    return (await this.#found).get(key)?.decision;
  }

  async #read(): Promise<Map<string, Mark>> {
    const marks = new Map<string, Mark>();
    try {
      for await (const entity of queryEntities(this.#table, odata`PartitionKey eq ${PARTITION}`)) {
        const { name, batch } = fromEntity(MARK, entity);
        const decision = batch === undefined ? { rejected: true as const } : { batch };
        marks.set(entity.rowKey, { name, etag: entity.etag, decision });
      }
      return marks;
    } catch (error) {
      this.#found = undefined; // The next file reads again.
      throw error;
    }
  }

  /** Marks a version of a file. A repeat changes nothing. */
  async add({ name, etag }: FileVersion, decision: InboxDecision): Promise<void> {
    const keys = { partitionKey: PARTITION, rowKey: rowKeyOf({ name, etag }) };
    const batch = 'batch' in decision ? { batch: decision.batch } : {};
    await this.#table.upsertEntity(toEntity(MARK, keys, { name, ...batch }), 'Replace');
  }

  /** Removes the marks of files that were not looked for, if `isOwn` accepts their names. Call it after all files. */
  async forgetOthers(isOwn: (name: string) => boolean): Promise<void> {
    // If there was no file, nothing was read: an empty inbox costs no operation beside its listing.
    for (const [rowKey, { name, etag }] of (await this.#found) ?? []) {
      if (this.#seen.has(rowKey) || !isOwn(name)) continue;
      await wins(this.#table.deleteEntity(PARTITION, rowKey, { etag }));
    }
  }
}
