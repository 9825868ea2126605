import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import { odata, queryEntities, readEntity, type Table } from '../storage/table.ts';
import { writeRow } from '../storage/write-row.ts';
import {
  fromGateEntity,
  GATES_PARTITION,
  type GateRow,
  gateRowKey,
  gateRows,
  newGate,
  toGateEntity,
} from './gate-row.ts';

/** A gate with the ETag that it was read with: it is written only if it is unchanged. */
export type VersionedGate = { row: GateRow; etag: string };

/** Reads a gate; a queue that was never woken has an idle one of generation 0. */
export async function readGate(table: Table, queue: string): Promise<{ row: GateRow; etag: string | undefined }> {
  const entity = await readEntity(table, GATES_PARTITION, gateRowKey(queue));
  return entity ? fromGateEntity(entity) : { row: newGate(queue), etag: undefined };
}

/** Reads the gates of all queues, or of those whose names begin with `prefix`, as a map by queue: one table query. */
export async function readGates(
  table: Table,
  { prefix = '', held = false }: { prefix?: string; held?: boolean } = {},
): Promise<Map<string, GateRow>> {
  const { from, to } = gateRows(prefix);
  const all = odata`PartitionKey eq ${GATES_PARTITION} and RowKey ge ${from} and RowKey lt ${to}`;
  const gates = new Map<string, GateRow>();
  for await (const entity of queryEntities(table, held ? `${all} and status eq 'draining'` : all)) {
    const { row } = fromGateEntity(entity);
    gates.set(row.queue, row);
  }
  return gates;
}

/** Writes a gate if it is unchanged since it was read. Returns false if it was changed to something other than `row`. */
export const writeGate = async (table: Table, row: GateRow, etag: string | undefined): Promise<boolean> =>
  (await writeRow(table, toGateEntity(row), etag)) !== undefined;

/**
 * Changes a gate, and repeats that after a lost race. `change` returns undefined to leave the gate as it is. Returns
 * the row as written.
 */
export const changeGate = (
  table: Table,
  queue: string,
  change: (row: GateRow) => Partial<GateRow> | undefined,
): Promise<GateRow | undefined> =>
  retryLostRace(gateOf(queue), async () => {
    const { row, etag } = await readGate(table, queue);
    const fields = change(row);
    if (!fields) return undefined;
    const next = { ...row, ...fields };
    return (await writeGate(table, next, etag)) ? next : LOST_RACE;
  });

/** The name of a gate in errors. */
export const gateOf = (queue: string): string => `gate of queue ${queue}`;
