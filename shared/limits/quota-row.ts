import { GATES_PARTITION } from '../gate/gate-row.ts';
import { type Entity, fromEntity, MAX_UNITS, type StoredEntity, toEntity } from '../storage/entity.ts';
import { defineRow, double, int64, json, type RowOf } from '../storage/row.ts';
import { odata, queryEntities, readEntity, type Table } from '../storage/table.ts';
import { writeRow } from '../storage/write-row.ts';

/** A process that has a share. Times are service times in milliseconds. */
export interface Holder {
  id: string;
  queues: readonly string[];
  /** The permits per second and items in flight that the process could use. */
  wants: Share;
  has: Share;
  since: number;
  /** When the process renews its lease. It starts nothing after `until`. */
  renewsAt: number;
  until: number;
}

/** A queue whose dequeue tasks found no share. Its next tasks may run in any process. */
export interface WaitingQueue {
  queue: string;
  since: number;
  /** The queue loses its place at this time, unless it tries again before. */
  until: number;
}

/** A part of a workload's limits. A limit that the workload does not have is Infinity in memory and null in the row. */
export interface Share {
  permitsPerSecond: number;
  inFlight: number;
}

/** Whether a process serves a queue and may start calls at service time `nowMs`. */
export const holdsLease = ({ queues, until }: Holder, nowMs: number): boolean => queues.length > 0 && until > nowMs;

/** The share of a process that has none. */
export const NO_SHARE: Share = { permitsPerSecond: 0, inFlight: 0 };

export const QUOTA = defineRow('quota', {
  holders: json<readonly Holder[]>([]),
  waiting: json<readonly WaitingQueue[]>([]),
  /** Fraction of the rate that is currently used. It is lowered when the other side throttles. */
  factor: double(1),
  /** When `factor` last changed, and until when nothing may start; service times in milliseconds. */
  changedAt: int64(0),
  heldUntil: int64(0),
});
export type QuotaRow = RowOf<typeof QUOTA> & { workload: string };

/** A row as it was read. Without ETag, the row does not exist yet. */
export interface VersionedQuota {
  row: QuotaRow;
  etag: string | undefined;
}

/** Creates a quota that no process has claimed yet. */
export const newQuota = (workload: string): QuotaRow => ({ workload, ...QUOTA.initial });

const PREFIX = 'quota:';
const quotaRowKey = (workload: string): string => `${PREFIX}${workload}`;

/** Returns the table entity of a quota row. */
export const toQuotaEntity = ({ workload, ...columns }: QuotaRow): StoredEntity =>
  toEntity(QUOTA, { partitionKey: GATES_PARTITION, rowKey: quotaRowKey(workload) }, columns);

/** Reads the row of a workload. */
export async function readQuota(table: Table, workload: string): Promise<VersionedQuota> {
  const entity = await readEntity(table, GATES_PARTITION, quotaRowKey(workload));
  return entity ? { row: fromQuotaEntity(entity), etag: entity.etag } : { row: newQuota(workload), etag: undefined };
}

/** Reads the rows of all workloads that have claimed a share, by workload, with one table query. */
export async function readQuotas(table: Table): Promise<Map<string, QuotaRow>> {
  // `~` sorts after all characters of a workload's name.
  const filter = odata`PartitionKey eq ${GATES_PARTITION} and RowKey ge ${PREFIX} and RowKey lt ${`${PREFIX}~`}`;
  const rows = new Map<string, QuotaRow>();
  for await (const entity of queryEntities(table, filter)) {
    const row = fromQuotaEntity(entity);
    rows.set(row.workload, row);
  }
  return rows;
}

function fromQuotaEntity(entity: Entity): QuotaRow {
  const { holders, ...row } = fromEntity(QUOTA, entity);
  const read = holders.map(({ wants, has, ...holder }) => ({
    ...holder,
    wants: unlimited(wants),
    has: unlimited(has),
  }));
  return { workload: entity.rowKey.slice(PREFIX.length), ...row, holders: read };
}

/** JSON has no Infinity. */
const unlimited = ({ permitsPerSecond, inFlight }: { [K in keyof Share]: number | null }): Share => ({
  permitsPerSecond: permitsPerSecond ?? Number.POSITIVE_INFINITY,
  inFlight: inFlight ?? Number.POSITIVE_INFINITY,
});

/** Returns whether the row can be written: it has room for the holders. Their number is limited by the names of their queues. */
export const hasRoom = ({ holders }: QuotaRow): boolean => JSON.stringify(holders).length <= MAX_UNITS;

/** Writes the row unless another process has changed it since it was read. Returns the new ETag, or undefined. */
export const writeQuota = (table: Table, { row, etag }: VersionedQuota): Promise<string | undefined> =>
  writeRow(table, toQuotaEntity(row), etag);
