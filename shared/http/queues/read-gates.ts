import { fromGateEntity, GATES_PARTITION, type GateRow, gateRows } from '../../gate/gate-row.ts';
import { odata, queryEntities, type Table } from '../../storage/table.ts';

/** Reads the gates of all queues, or of those whose names begin with `prefix`, as a map by queue: one table query. */
export async function readGates(table: Table, prefix = ''): Promise<Map<string, GateRow>> {
  const { from, to } = gateRows(prefix);
  const filter = odata`PartitionKey eq ${GATES_PARTITION} and RowKey ge ${from} and RowKey lt ${to}`;
  const gates = new Map<string, GateRow>();
  for await (const entity of queryEntities(table, filter)) {
    const { row } = fromGateEntity(entity);
    gates.set(row.queue, row);
  }
  return gates;
}
