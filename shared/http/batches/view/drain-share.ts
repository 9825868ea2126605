/** Reads what the drains of batches have spent, and gives each batch its share. */
import type { BatchRow } from '../../../batches/batch-row.ts';
import type { Operations } from '../../../contract/operations.ts';
import type { DrainRecord } from '../../../cost/drain-spending.ts';
import { type OwnDrains, shareOf } from '../../../cost/own-drains.ts';
import type { Table } from '../../../storage/table.ts';
import { readAllArchives, readArchive } from '../../../wake/gate/drain-archive.ts';
import type { GateRow } from '../../../wake/gate/gate-row.ts';
import { readGates } from '../../queues/read-gates.ts';

/** The share of a batch in its drains. */
export interface DrainShare {
  operations: Operations;
  /** Whether all of these drains have ended: the share does not change any more. */
  isFinal: boolean;
}

/** Whether drain `generation` of a gate has ended. */
const hasEnded = (gate: GateRow | undefined, generation: number): boolean =>
  gate === undefined || gate.status === 'idle' || gate.generation > generation;

const bounds = (drains: OwnDrains[string]): { first: number; last: number } => ({
  first: Math.min(...drains.map(([generation]) => generation)),
  last: Math.max(...drains.map(([generation, , last = generation]) => last)),
});

/**
 * Reads the share of a batch: one query of the gates of its workload, and one per queue of which drains have left the gate
 * since.
 */
export async function readDrainShare(
  gates: Table,
  { workload, drains: own = {} }: Pick<BatchRow, 'workload' | 'drains'>,
): Promise<DrainShare> {
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
  return { operations: shareOf(own, (queue) => records.get(queue) ?? []), isFinal };
}

/**
 * The drains by generation, each once: until the gate is written, both have those that were archived, and where that write
 * never came, the next row of the archive has them again.
 */
const inOrder = (archived: readonly DrainRecord[], kept: readonly DrainRecord[]): DrainRecord[] =>
  [...new Map([...archived, ...kept].map((record) => [record[0], record])).values()].sort(([a], [b]) => a - b);

/**
 * Reads what all drains since `since` have spent, for the shares of many batches: one query of the gates and one of the
 * archive, an operation per 1,000 rows.
 */
export async function readDrainShares(gates: Table, since: Date): Promise<(own: OwnDrains | undefined) => Operations> {
  const [rows, archives] = await Promise.all([readGates(gates), readAllArchives(gates, since)]);
  const records = new Map<string, DrainRecord[]>();
  for (const queue of new Set([...rows.keys(), ...archives.keys()]))
    records.set(queue, inOrder(archives.get(queue) ?? [], rows.get(queue)?.spent ?? []));
  return (own) => (own === undefined ? {} : shareOf(own, (queue) => records.get(queue) ?? []));
}
