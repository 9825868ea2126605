import { z } from 'zod';
import { type BatchRow, isFinished } from '../../../batches/batch-row.ts';
import type { IndexEntry } from '../../../batches/listing/index-rows.ts';
import type { Operations } from '../../../contract/operations.ts';
import { drainOperations } from '../../../cost/batch-operations.ts';
import type { DurableBackend } from '../../../cost/deployed.ts';
import { THROTTLED } from '../../../cost/meter.ts';
import type { PeriodSpent } from '../../../cost/period.ts';
import { receipt, receiptSchema } from '../../../cost/receipt.ts';
import type { PriceSheet } from '../../../cost/sheet.ts';
import { amount, COMPONENTS } from '../../edge/schemas.ts';

type Work = Pick<BatchRow, 'workload' | 'chunksDone' | 'handlerSeconds'>;
type Spent = Work & Pick<BatchRow, 'accepted' | 'state' | 'announced' | 'operations'>;

/** The prices and the backend for receipts, and the number of queues of a workload's lane. */
export interface ReceiptBasis {
  prices: PriceSheet;
  backend: DurableBackend;
  queuesOf: (workload: string) => number;
}

/** Estimates the part of a batch in the operations of its drains: as if it had run alone and in one go. */
const estimateDrains = (
  { queuesOf }: Pick<ReceiptBasis, 'queuesOf'>,
  { workload, chunksDone: chunks, handlerSeconds: seconds }: Work,
): Operations => (chunks === 0 ? {} : drainOperations({ chunks, queues: queuesOf(workload), seconds }));

/** Returns what a batch has spent by its line in the listing, for the sum of a period. */
export const spentOf = (
  { workload, accepted: items, spent }: Pick<IndexEntry, 'workload' | 'accepted' | 'spent'>,
  basis: ReceiptBasis,
): Omit<PeriodSpent, 'batches'> => ({
  items,
  operations: spent.operations,
  drainOperations: estimateDrains(basis, { workload, ...spent }),
});

/** The cost of a batch so far; prices of `sheet`, in USD. */
export const batchReceiptSchema = receiptSchema
  .extend({
    soFar: z.boolean().describe('true: the batch is not finished, so the cost may grow'),
    handlerSeconds: amount,
    throttled: amount.describe('Number of answers with which a service throttled a call'),
  })
  .register(COMPONENTS, { id: 'Receipt' });
type BatchReceipt = z.infer<typeof batchReceiptSchema>;

/** Returns the cost of a batch so far. */
export function receiptView(row: Spent, basis: ReceiptBasis): BatchReceipt {
  const { [THROTTLED]: throttled = 0, ...operations } = row.operations;
  const { prices, backend } = basis;
  const spent = { operations, drainOperations: estimateDrains(basis, row), items: row.accepted, backend };
  const { handlerSeconds, state, announced } = row;
  return rounded({ soFar: !(isFinished(state) && announced), handlerSeconds, throttled, ...receipt(spent, prices) });
}

/** Rounds all numbers of a JSON value to nine decimals: parts of messages and drains are fractions. */
export function rounded<T>(value: T): T {
  if (typeof value === 'number') return Number(value.toFixed(9)) as T;
  if (Array.isArray(value)) return value.map(rounded) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, rounded(each)])) as T;
}
