/** The inbox on tables and blobs in memory, with small chunks, blocks and checkpoints. */
import { decodeFrame } from '../../../../shared/contract/frame.ts';
import { groupFrame, readDirectory, readGroup } from '../../../../shared/contract/payload-index.ts';
import { type InboxResult, scanInbox } from '../../../../shared/intake/inbox/inbox.ts';
import type { InboxDeps } from '../../../../shared/intake/inbox/inbox-deps.ts';
import { withLog } from '../../../../shared/telemetry/log.ts';
import { defineWorkload } from '../../../../shared/workload/define.ts';
import { createRegistry } from '../../../../shared/workload/registry.ts';
import { type MemoryBlobs, memoryBlobs } from '../../../helpers/fakes/memory-blobs.ts';
import { type MemoryTable, memoryTable } from '../../../helpers/fakes/memory-table.ts';
import { SILENT_LOG } from '../../../helpers/fakes/silent-log.ts';

export const NOTHING: InboxResult = { accepted: 0, rejected: 0, deferred: 0, unfinished: 0, stuck: 0 };
const START = Date.parse('2026-01-01T00:00:00.000Z');
const item = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const;
const map = (value: unknown): unknown => value;

export const registry = createRegistry([
  defineWorkload({ name: 'plain', version: 1, item, map, chunk: { maxItems: 50 } }),
  defineWorkload({ name: 'strict', version: 1, item, map, inbox: { repeatedContent: 'refuse' } }),
]);

/** The columns of a batch row that tests read. */
export interface StoredBatch {
  id: string;
  accepted: number;
  digest: string;
  payload: string;
  indexOffset: number;
}

export class InboxWorld {
  nowMs = START;
  readonly blobs: MemoryBlobs = memoryBlobs({ now: () => this.nowMs });
  readonly keys: MemoryTable = memoryTable();
  readonly batchTable: MemoryTable = memoryTable();
  readonly deps: InboxDeps;

  constructor() {
    const now = () => this.nowMs;
    const queue = { name: 'queue', sendMessage: async () => ({}) };
    const meter = { knowsServiceTime: () => true };
    this.deps = {
      ...{
        registry,
        table: this.batchTable.table,
        keys: this.keys.table,
        container: this.blobs.container,
        meter,
      },
      queues: () => queue,
      alone: (work: () => Promise<unknown>) => work(),
      publish: async () => {},
      publishRejected: async () => {},
      gate: { table: memoryTable().table, now },
      settings: { pool: undefined, maxInboxBytes: 1e9, maxDecodedBytes: 1e9, maxRecordBytes: 1e6, maxItems: 1e9 },
      intakeSizes: { checkpointBytes: 16 * 1024, blockBytes: 4 * 1024 },
    } as unknown as InboxDeps;
  }

  collect(deps = this.deps): Promise<InboxResult> {
    return withLog(SILENT_LOG, () => scanInbox(deps));
  }

  /** Long enough for the claim of a crashed process to expire. */
  wait(ms = 2 * 60_000): void {
    this.nowMs += ms;
  }

  async batches(): Promise<StoredBatch[]> {
    const rows: StoredBatch[] = [];
    const all = { queryOptions: { filter: "RowKey eq 'batch'" } };
    for await (const row of this.batchTable.table.listEntities(all)) {
      const { partitionKey, accepted, digest, payload, indexOffset } = row;
      const [id, count, offset] = [String(partitionKey), Number(accepted), Number(indexOffset)];
      rows.push({ id, accepted: count, digest: String(digest), payload: String(payload), indexOffset: offset });
    }
    return rows;
  }

  /** Reads the records of a batch from its payload, and checks each frame against the index. */
  recordsOf({ payload, indexOffset }: StoredBatch): string {
    const body = this.blobs.blobs.get(`payloads/${payload}`)?.body ?? Buffer.alloc(0);
    const end = body.subarray(indexOffset);
    return readDirectory(end)
      .flatMap((group) => readGroup(groupFrame(end, indexOffset, group), group))
      .map((entry) => decodeFrame(body.subarray(entry.offset, entry.offset + entry.length), entry).toString())
      .join('');
  }

  names(prefix: string): string[] {
    return [...this.blobs.blobs.keys()].filter((path) => path.startsWith(prefix)).toSorted();
  }
}
