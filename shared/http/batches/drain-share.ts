/** Reads what the drains of batches have spent, and gives each batch its share. */
import type { BatchRow } from '../../batches/batch-row.ts';
import type { Operations } from '../../contract/operations.ts';
import { type DrainSpent, type OwnDrains, readDrainRecord, shareOf } from '../../cost/drain-spending.ts';
import type { Table } from '../../storage/table.ts';
import { readAllArchives, readArchive } from '../../wake/drain-archive.ts';
import type { GateRow } from '../../wake/gate-row.ts';
import { readGates } from '../queues/read-gates.ts';

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
  const spent = new Map<string, readonly DrainSpent[]>();
  let isFinal = true;
  for (const [queue, drains] of queues) {
    const gate = rows.get(queue);
    const kept = gate?.spent ?? [];
    const { first, last } = bounds(drains);
    isFinal &&= hasEnded(gate, last);
    const isKept = kept[0] !== undefined && kept[0][0] <= first;
    const old = isKept ? [] : await readArchive(gates, { queue, first, last });
    spent.set(queue, joined(old, kept));
  }
  return { operations: shareOf(own, (queue) => spent.get(queue) ?? []), isFinal };
}

/** Until the gate is written, both have the drains that were archived. */
const joined = (old: GateRow['spent'], kept: GateRow['spent']): DrainSpent[] => {
  const generations = new Set(kept.map(([generation]) => generation));
  return [...old.filter(([generation]) => !generations.has(generation)), ...kept].map(readDrainRecord);
};

/**
 * Reads what all drains since `since` have spent, for the shares of many batches: one query of the gates and one of the
 * archive, an operation per 1,000 rows.
 */
export async function readDrainShares(gates: Table, since: Date): Promise<(own: OwnDrains | undefined) => Operations> {
  const [rows, archives] = await Promise.all([readGates(gates), readAllArchives(gates, since)]);
  const spent = new Map<string, DrainSpent[]>();
  for (const queue of new Set([...rows.keys(), ...archives.keys()]))
    spent.set(queue, joined(archives.get(queue) ?? [], rows.get(queue)?.spent ?? []));
  return (own) => (own === undefined ? {} : shareOf(own, (queue) => spent.get(queue) ?? []));
}
