import { type BatchRow, isFinished } from '../../../batches/batch-row.ts';
import type { Operations } from '../../../contract/operations.ts';
import type { DurableBackend } from '../../../cost/durable-backend.ts';
import { THROTTLED } from '../../../cost/meter.ts';
import { receipt } from '../../../cost/receipt.ts';
import type { PriceSheet } from '../../../cost/sheet.ts';
import type { DrainPart } from './drain-part.ts';
import type { BatchReceipt } from './receipt-schema.ts';

type Spent = Pick<BatchRow, 'accepted' | 'state' | 'announced' | 'handlerSeconds' | 'operations'>;

/** The prices and the backend for receipts. */
export interface ReceiptBasis {
  prices: PriceSheet;
  backend: DurableBackend;
}

/** Returns the cost of a batch so far. `part` is its part of its drains, which is read only for a finished batch. */
export function receiptView(row: Spent, { prices, backend }: ReceiptBasis, part?: DrainPart): BatchReceipt {
  const { [THROTTLED]: throttled = 0, ...operations } = row.operations;
  const { [THROTTLED]: others = 0, ...drainOperations } = part?.operations ?? {};
  const { items: _items, ...rest } = receipt({ operations, drainOperations, items: row.accepted, backend }, prices);
  const { count, gbSeconds } = rest.executions;
  return {
    ...rest,
    soFar: !(isFinished(row.state) && row.announced && part?.isFinal === true),
    handlerSeconds: rounded(row.handlerSeconds, 3),
    operations: roundedOperations(rest.operations),
    drainOperations: roundedOperations(rest.drainOperations),
    hostOperations: roundedOperations(rest.hostOperations),
    actions: rounded(rest.actions, 2),
    executions: { count: rounded(count, 2), gbSeconds: rounded(gbSeconds, 3) },
    storageOperations: rounded(rest.storageOperations, 1),
    throttled: rounded(throttled + others, 1),
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
