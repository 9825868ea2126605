/**
 * Marks of inbox files that were accepted or rejected and could not be moved away. Such a file must not become another
 * batch, neither when its idempotency key expires nor when its batch is deleted, so a mark lives as long as the file:
 * a complete listing without the file removes it.
 */
import { createHash } from 'node:crypto';
import { fromEntity, toEntity } from '../../storage/entity.ts';
import { odata, queryEntities, type Table, wins } from '../../storage/table.ts';

/** Beside the idempotency keys, whose partitions are hashes. */
const PARTITION = 'inbox';

/** What was decided about a file: the batch that it became, or that it was rejected. */
export type InboxDecision = { batch: string } | { rejected: true };

/** A version of a file. `etag` is without quotes, as in listings. */
export interface FileVersion {
  name: string;
  etag: string;
}

const rowKeyOf = ({ name, etag }: FileVersion): string => createHash('sha256').update(`${name}\n${etag}`).digest('hex');

/** The marks as one look into the inbox finds them. */
export class InboxMarks {
  readonly #table: Table;
  readonly #seen = new Set<string>();
  #found: Promise<Map<string, Mark>> | undefined;

  constructor(table: Table) {
    this.#table = table;
  }

  /** What was decided about this version of a file before; the first call reads all marks, usually none, by one query. */
  async find(file: FileVersion): Promise<InboxDecision | undefined> {
    this.#found ??= this.#read();
    const key = rowKeyOf(file);
    this.#seen.add(key);
    return (await this.#found).get(key)?.decision;
  }

  /** A read that fails is made again for the next file. */
  async #read(): Promise<Map<string, Mark>> {
    try {
      return await readMarks(this.#table);
    } catch (error) {
      this.#found = undefined;
      throw error;
    }
  }

  /** Marks a version of a file. A repeat changes nothing. */
  async add({ name, etag }: FileVersion, decision: InboxDecision): Promise<void> {
    const keys = { partitionKey: PARTITION, rowKey: rowKeyOf({ name, etag }) };
    const batch = 'batch' in decision ? { batch: decision.batch } : {};
    await this.#table.upsertEntity(toEntity('mark', keys, { name, ...batch }), 'Replace');
  }

  /** Removes the marks of files that were not asked for, if `isOwn` is true of their names; to be called after all files. */
  async forgetOthers(isOwn: (name: string) => boolean): Promise<void> {
    // Without a file nothing was read: an empty inbox costs no operation beside its listing.
    for (const [rowKey, { name, etag }] of (await this.#found) ?? []) {
      if (this.#seen.has(rowKey) || !isOwn(name)) continue;
      await wins(this.#table.deleteEntity(PARTITION, rowKey, { etag }));
    }
  }
}

interface Mark {
  name: string;
  etag: string;
  decision: InboxDecision;
}

async function readMarks(table: Table): Promise<Map<string, Mark>> {
  const marks = new Map<string, Mark>();
  for await (const entity of queryEntities(table, odata`PartitionKey eq ${PARTITION}`)) {
    const { name = '', batch } = fromEntity('mark', entity);
    const decision = batch === undefined ? { rejected: true as const } : { batch };
    marks.set(entity.rowKey, { name, etag: entity.etag, decision });
  }
  return marks;
}
