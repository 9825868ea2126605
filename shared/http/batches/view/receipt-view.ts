import { type BatchRow, isFinished } from '../../../batches/batch-row.ts';
import type { Operations } from '../../../contract/operations.ts';
import { drainOperations } from '../../../cost/batch-operations.ts';
import type { DurableBackend } from '../../../cost/durable-backend.ts';
import { THROTTLED } from '../../../cost/meter.ts';
import { receipt } from '../../../cost/receipt.ts';
import type { PriceSheet } from '../../../cost/sheet.ts';
import type { BatchReceipt } from './receipt-schema.ts';

type Work = Pick<BatchRow, 'workload' | 'chunksDone' | 'handlerSeconds'>;
type Spent = Work & Pick<BatchRow, 'accepted' | 'state' | 'announced' | 'operations'>;

/** The prices and the backend for receipts, and the number of queues of a workload's lane. */
export interface ReceiptBasis {
  prices: PriceSheet;
  backend: DurableBackend;
  queuesOf: (workload: string) => number;
}

/** Estimates the part of a batch in the operations of its drains: as if it had run alone and in one go. */
export const estimateDrains = (
  { queuesOf }: Pick<ReceiptBasis, 'queuesOf'>,
  { workload, chunksDone: chunks, handlerSeconds: seconds }: Work,
): Operations => (chunks === 0 ? {} : drainOperations({ chunks, queues: queuesOf(workload), seconds }));

/** Returns the cost of a batch so far. */
export function receiptView(row: Spent, basis: ReceiptBasis): BatchReceipt {
  const { [THROTTLED]: throttled = 0, ...operations } = row.operations;
  const { prices, backend } = basis;
  const spent = { operations, drainOperations: estimateDrains(basis, row), items: row.accepted, backend };
  const { items: _items, ...rest } = receipt(spent, prices);
  const { count, gbSeconds } = rest.executions;
  return {
    ...rest,
    soFar: !(isFinished(row.state) && row.announced),
    handlerSeconds: rounded(row.handlerSeconds, 3),
    operations: roundedOperations(rest.operations),
    drainOperations: roundedOperations(rest.drainOperations),
    hostOperations: roundedOperations(rest.hostOperations),
    actions: rounded(rest.actions, 2),
    executions: { count: rounded(count, 2), gbSeconds: rounded(gbSeconds, 3) },
    storageOperations: rounded(rest.storageOperations, 1),
    throttled: rounded(throttled, 1),
    byService: Object.fromEntries(Object.entries(rest.byService).map(([service, usd]) => [service, rounded(usd, 9)])),
    totalUsd: rounded(rest.totalUsd, 9),
  };
}

/** Rounds the fractions that result from parts of messages and drains. */
export const roundedOperations = (operations: Operations): Operations =>
  Object.fromEntries(
    Object.entries(operations)
      .map(([name, n]): [string, number] => [name, rounded(n, 2)])
      .filter(([, n]) => n > 0),
  );

/** Rounds a number to at most `digits` decimals. */
export const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
