import type { BatchRow } from '../../batches/batch-row.ts';
import type { Operations } from '../../contract/operations.ts';
import { drainAllocation } from '../../cost/drain-allocation.ts';
import { THROTTLED } from '../../cost/meter.ts';
import { receipt } from '../../cost/receipt.ts';
import type { PriceSheet } from '../../cost/sheet.ts';
import type { BatchReceipt } from '../schemas.ts';

type Spent = Pick<BatchRow, 'accepted' | 'chunksDone' | 'handlerSeconds' | 'operations'>;

/** What a batch has spent so far: counted, and beside it what is computed from its chunks that have ended. */
export function receiptView(row: Spent, sheet: PriceSheet): BatchReceipt {
  const { [THROTTLED]: throttled = 0, ...operations } = row.operations;
  const {
    sheet: name,
    items: _items,
    ...rest
  } = receipt({ operations, ...drainAllocation(row), items: row.accepted }, sheet);
  return {
    handlerSeconds: rounded(row.handlerSeconds, 3),
    ...rest,
    operations: roundedOperations(operations),
    drainOperations: roundedOperations(rest.drainOperations),
    throttled: rounded(throttled, 1),
    sheet: name,
    byService: Object.fromEntries(Object.entries(rest.byService).map(([service, usd]) => [service, rounded(usd, 9)])),
    totalUsd: rounded(rest.totalUsd, 9),
  };
}

/** A message's operations are shared out over its batches, so that counts have fractions. */
export const roundedOperations = (operations: Operations): Operations =>
  Object.fromEntries(Object.entries(operations).map(([name, n]) => [name, rounded(n, 2)]));

/** A number with at most `digits` decimals. */
export const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
