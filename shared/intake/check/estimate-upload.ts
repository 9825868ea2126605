/** Estimates the operations and the cost of a batch from the part of its upload that was read. */
import { batchSpending } from '../../cost/batch-operations.ts';
import type { DurableBackend } from '../../cost/durable-backend.ts';
import { receipt } from '../../cost/receipt.ts';
import type { PriceSheet } from '../../cost/sheet.ts';
import type { Workload } from '../../workload/define.ts';

/** The workload, and how to price a batch. */
export interface EstimateOptions {
  workload: Workload;
  /** Size of the whole body in bytes, if known; required for an estimate unless the body is read to its end. */
  size?: number | undefined;
  prices?: PriceSheet;
  /** Defaults to azureStorage. */
  backend?: DurableBackend;
}

/** Estimate for the whole upload: exact if all of it was read, otherwise in proportion to its bytes. */
export interface UploadEstimate {
  items: number;
  chunks: number;
  /** Lane of a batch whose client specifies none. */
  lane: string;
  /** Storage operations of one batch, including its drain. */
  operations: number;
  /**
   * Cost of the storage operations, Service Bus and durable actions of one batch by the price sheet, without handler time.
   */
  usd: number;
  sheet: string;
  /** Currency of the sheet. */
  currency: string;
  /** Price classes in `usd` that have no verified source. */
  unverified: string[];
}

/** What was read; `ended` if that is the whole upload. */
interface Read {
  items: number;
  bytes: number;
  ended: boolean;
}

/** Estimates the whole upload; undefined if its size or the prices are unknown, or no record was read. */
export function estimateUpload(
  { workload, size, prices, backend = 'azureStorage' }: EstimateOptions,
  read: Read,
): UploadEstimate | undefined {
  const scale = read.ended ? 1 : size === undefined || read.bytes === 0 ? undefined : Math.max(1, size / read.bytes);
  if (scale === undefined || prices === undefined || read.items === 0) return undefined;
  const items = Math.round(read.items * scale);
  const { chunk, queuesPerLane: queues, secondsPerChunk } = workload;
  const shape = { items, itemsPerChunk: chunk.maxItems, queues, secondsPerChunk };
  const spent = { operations: batchSpending(shape), items, backend };
  const { totalUsd, sheet, storageOperations: operations, unverified } = receipt(spent, prices);
  const lane = workload.lane({ items, bytes: size ?? read.bytes });
  return {
    items,
    chunks: Math.ceil(items / chunk.maxItems),
    lane,
    operations,
    usd: Number(totalUsd.toFixed(9)),
    sheet,
    currency: prices.currency,
    unverified,
  };
}
