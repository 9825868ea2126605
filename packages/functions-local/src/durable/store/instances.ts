import type { DatabaseSync } from 'node:sqlite';
import { command, query } from './database.ts';

/** States of unfinished instances. */
export const runningStates = ['Pending', 'Running', 'Suspended', 'ContinuedAsNew'] as const;
/** States of finished instances. */
export const finishedStates = ['Completed', 'Failed', 'Terminated', 'Canceled'] as const;

/** A runtime status, with its name in the status API. */
export type RuntimeStatus = (typeof runningStates)[number] | (typeof finishedStates)[number];

/** A row of the instance table. */
export interface Instance {
  id: string;
  executionId: string;
  name: string;
  version: string;
  status: RuntimeStatus;
  /** JSON text, or null if absent. */
  input: string | null;
  output: string | null;
  customStatus: string | null;
  /** JSON of a Parent. */
  parent: string | null;
  /** Epoch milliseconds. */
  createdAt: number;
  updatedAt: number;
}

/** The task of the parent instance that waits for this one. */
export interface Parent {
  instanceId: string;
  executionId: string;
  taskId: number;
}

/** The conditions of a list of instances. Absent ones do not filter. Times are in epoch milliseconds. */
export interface InstanceFilter {
  createdFrom?: number;
  createdTo?: number;
  statuses?: readonly RuntimeStatus[];
  idPrefix?: string;
  /** Only ids after this one, the last id of the previous page. */
  after?: string;
  limit?: number;
}

/** Whether the instance is finished. */
export function isFinished(instance: Pick<Instance, 'status'>): boolean {
  return finishedStates.some((state) => state === instance.status);
}

/** The instance table. */
export type InstanceTable = ReturnType<typeof createInstanceTable>;

const listSql = `SELECT * FROM instances WHERE createdAt >= ? AND createdAt <= ? AND id > ? AND id GLOB ?
  AND (? = '[]' OR status IN (SELECT value FROM json_each(?))) ORDER BY id LIMIT ?`;

/** Creates the table of instances. */
export function createInstanceTable(db: DatabaseSync) {
  const byId = query<Instance>(db, 'SELECT * FROM instances WHERE id = ?');
  const list = query<Instance>(db, listSql);
  const put = command(
    db,
    `INSERT OR REPLACE INTO instances (id, executionId, name, version, status, input, output, customStatus, parent, createdAt, updatedAt)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const remove = command(db, 'DELETE FROM instances WHERE id = ?');
  return {
    get: (id: string) => byId.get(id),
    put: (row: Instance) =>
      put(
        ...[row.id, row.executionId, row.name, row.version, row.status, row.input, row.output],
        ...[row.customStatus, row.parent, row.createdAt, row.updatedAt],
      ),
    remove: (id: string) => remove(id),
    list: (filter: InstanceFilter): Instance[] => {
      const statuses = JSON.stringify(filter.statuses ?? []);
      const to = filter.createdTo ?? Number.MAX_SAFE_INTEGER;
      const glob = `${toGlobLiteral(filter.idPrefix ?? '')}*`;
      return list.all(filter.createdFrom ?? 0, to, filter.after ?? '', glob, statuses, statuses, filter.limit ?? -1);
    },
  };
}

function toGlobLiteral(text: string): string {
  return text.replace(/[*?[]/g, '[$&]');
}
