/** Reads the operations of drains, and computes the part of each batch. */
import type { BatchRow } from '../../../batches/batch-row.ts';
import type { Operations } from '../../../contract/operations.ts';
import { type BatchDrains, partOfDrains } from '../../../cost/drains/batch-drains.ts';
import type { DrainRecord } from '../../../cost/drains/drain-spending.ts';
import { readAllArchives, readArchive } from '../../../gate/drain-archive.ts';
import type { GateRow } from '../../../gate/gate-row.ts';
import type { Table } from '../../../storage/table.ts';
import { readGates } from '../../queues/read-gates.ts';

/** The part of a batch in its drains. */
export interface DrainPart {
  operations: Operations;
  /** Whether all of these drains have ended, so that the part is final. */
  isFinal: boolean;
}

/** Whether drain `generation` of a gate has ended. */
const hasEnded = (gate: GateRow | undefined, generation: number): boolean =>
  gate === undefined || gate.status === 'idle' || gate.generation > generation;

const bounds = (drains: BatchDrains[string]): { first: number; last: number } => ({
  first: Math.min(...drains.map(([generation]) => generation)),
  last: Math.max(...drains.map(([generation, , last = generation]) => last)),
});

/**
 * Reads the part of a batch: one query for the gates of its workload, and one per queue for drains that are no longer in the
 * gate's row.
 */
export async function readDrainPart(
  gates: Table,
  { workload, drains: own = {} }: Pick<BatchRow, 'workload' | 'drains'>,
): Promise<DrainPart> {
  const queues = Object.entries(own);
  if (queues.length === 0) return { operations: {}, isFinal: true };
  const rows = await readGates(gates, `${workload}-`);
  const records = new Map<string, readonly DrainRecord[]>();
  let isFinal = true;
  for (const [queue, drains] of queues) {
    const gate = rows.get(queue);
    const kept = gate?.spent ?? [];
    const { first, last } = bounds(drains);
    isFinal &&= hasEnded(gate, last);
    const isKept = kept[0] !== undefined && kept[0][0] <= first;
    const old = isKept ? [] : await readArchive(gates, { queue, first, last });
    records.set(queue, inOrder(old, kept));
  }
  return { operations: partOfDrains(own, (queue) => records.get(queue) ?? []), isFinal };
}

/**
 * The drains by generation, without duplicates. Drains that were archived are in both places until the gate is written, and if
 * that write is lost, the next row of the archive contains them again.
 */
const inOrder = (archived: readonly DrainRecord[], kept: readonly DrainRecord[]): DrainRecord[] =>
  [...new Map([...archived, ...kept].map((record) => [record[0], record])).values()].sort(([a], [b]) => a - b);

/**
 * Reads the operations of all drains since `since`, for the parts of many batches: one query for the gates and one for the
 * archive, with one operation per 1,000 rows.
 */
export async function readDrainParts(gates: Table, since: Date): Promise<(own: BatchDrains | undefined) => Operations> {
  const [rows, archives] = await Promise.all([readGates(gates), readAllArchives(gates, since)]);
  const records = new Map<string, DrainRecord[]>();
  for (const queue of new Set([...rows.keys(), ...archives.keys()]))
    records.set(queue, inOrder(archives.get(queue) ?? [], rows.get(queue)?.spent ?? []));
  return (own) => (own === undefined ? {} : partOfDrains(own, (queue) => records.get(queue) ?? []));
}
