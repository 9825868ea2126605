/** The invariants of a stack when all its runs have ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import { odata } from '@azure/data-tables';
import { isFinished } from '../../../../shared/batches/batch-row.ts';
import { statusOf } from '../../../../shared/errors.ts';
import { fromGateEntity, GATES_PARTITION, gateRows } from '../../../../shared/gate/gate-row.ts';
import { queryEntities } from '../../../../shared/storage/table.ts';
import { brokenLaw, type LedgerView, readLedger } from '../../harness/ledger-view.ts';
import type { FaultStack } from '../stack.ts';
import type { RunEnd, Score } from './score.ts';

const QUIET_MS = 120_000;

/**
 * Waits until all queues are empty and no batch is open. A duplicate that was put late may be in a queue without a
 * wake, so each queue is woken.
 */
export async function waitForRest(
  stack: FaultStack,
  slots: number,
  score: Score,
  wake: (queue: string) => Promise<void>,
): Promise<void> {
  const names = Array.from({ length: slots }, (_, index) => [`slot${index}-normal-0`, `slot${index}-results`]).flat();
  const end = Date.now() + QUIET_MS;
  for (;;) {
    const left = await leftIn(stack, names);
    if (left.length === 0) break;
    if (Date.now() > end) return score.problem(`left over: ${left.join(', ')}`);
    for (const queue of left.filter((name) => names.includes(name))) await wake(queue).catch(() => undefined);
    await sleep(2_000);
  }
  const poison = await leftIn(
    stack,
    names.map((name) => name.replace(/-(normal-0|results)$/, '-poison')),
  );
  if (poison.length > 0) score.problem(`poison: ${poison.join(', ')}`);
}

async function leftIn(stack: FaultStack, names: readonly string[]): Promise<string[]> {
  const left: string[] = [];
  try {
    for (const name of new Set(names)) if ((await depthOf(stack, name)) > 0) left.push(name);
    for await (const { rowKey } of queryEntities(stack.batches, odata`PartitionKey eq ${'open'} and RowKey lt ${'~'}`))
      left.push(`open ${rowKey}`);
  } catch (error) {
    // The fault of the last run may still block storage.
    left.push(String(error));
  }
  return left;
}

async function depthOf({ queues }: FaultStack, name: string): Promise<number> {
  try {
    return (await queues.getQueueClient(name).getProperties()).approximateMessagesCount ?? 0;
  } catch (error) {
    if (statusOf(error) === 404) return 0;
    throw error;
  }
}

/** Checks the conservation law of every batch again: a duplicate after its end must not have changed anything. */
export async function checkAgain({ batches }: FaultStack, ends: readonly RunEnd[], score: Score): Promise<void> {
  for (const { id, seed, counts } of ends) {
    const ledger = await readLedger(batches, id);
    const broken = ledger ? (brokenLaw(ledger) ?? changed(ledger, counts)) : 'its rows are gone';
    if (broken) score.problem(`seed ${seed}, after its end: ${broken}`);
  }
}

function changed({ batch: { state, succeeded, dead } }: LedgerView, counts: RunEnd['counts']): string | undefined {
  if (!isFinished(state)) return `it is ${state}`;
  if (succeeded === counts.succeeded && dead === counts.dead) return undefined;
  return `succeeded ${counts.succeeded} became ${succeeded}, dead ${counts.dead} became ${dead}`;
}

/** Wakes that the sweeps found missing, over all queues. */
export async function missedWakes({ gates }: FaultStack): Promise<number> {
  const { from, to } = gateRows();
  let missed = 0;
  const filter = odata`PartitionKey eq ${GATES_PARTITION} and RowKey ge ${from} and RowKey lt ${to}`;
  for await (const entity of queryEntities(gates, filter)) missed += fromGateEntity(entity).row.missedWakes;
  return missed;
}
