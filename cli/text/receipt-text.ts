import { addOperations, storageOperations } from '../../shared/contract/operations.ts';
import type { BatchView } from '../../shared/http/batches/schemas.ts';
import { formatCount, formatList } from './format.ts';

export type ShownReceipt = Pick<
  BatchView['receipt'],
  'soFar' | 'operations' | 'drainOperations' | 'hostOperations' | 'storageOperations' | 'executions' | 'comparison'
>;

/** Describes the receipt: the billed storage operations, their parts, and the operations of batch and drains by name. */
export function describeOperations(receipt: ShownReceipt): string[] {
  const { soFar, operations, drainOperations, hostOperations, executions } = receipt;
  const apart = formatCount(receipt.comparison.messagePerItem.operations);
  const counted = Object.entries(addOperations(operations, drainOperations)).sort(([, a], [, b]) => b - a);
  const parts = [
    `${formatCount(storageOperations(operations))} of the batch`,
    `${formatCount(storageOperations(drainOperations))} of its drains (estimated)`,
    `${formatCount(storageOperations(hostOperations))} of the Durable extension (estimated)`,
  ];
  const { count, gbSeconds } = executions;
  return [
    `Operations${soFar ? ' so far' : ''}: ${formatCount(receipt.storageOperations)} on storage (one message per item would need ${apart} for the queue alone)`,
    `  ${parts.join(', ')}`,
    ...formatList(
      counted.map(([name, n]) => `${name} ${formatCount(n)}`),
      { head: '  ' },
    ),
    `Executions${soFar ? ' so far' : ''}: ${formatCount(count)}, at most ${formatCount(gbSeconds)} GB-seconds (estimated)`,
  ];
}
