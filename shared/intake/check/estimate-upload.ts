/** Estimates the operations and the cost of a batch from the part of its upload that was read. */
import { batchSpending } from '../../cost/batch-operations.ts';
import type { DurableBackend } from '../../cost/deployed.ts';
import { receipt } from '../../cost/receipt.ts';
import type { PriceSheet } from '../../cost/sheet.ts';
import type { Workload } from '../../workload/define.ts';

export interface EstimateOptions {
  workload: Workload;
  /** Size of the whole body in bytes, if known; required for an estimate unless the body is read to its end. */
  size?: number | undefined;
  prices?: PriceSheet;
  /** Defaults to azureStorage. */
  backend?: DurableBackend;
}

interface Read {
  items: number;
  bytes: number;
  ended: boolean;
}

/**
 * Estimates the whole upload: exactly if all of it was read, otherwise in proportion to its bytes. `usd` has no handler
 * time. Returns undefined if its size or the prices are unknown, or no record was read.
 */
export function estimateUpload({ workload, size, prices, backend = 'azureStorage' }: EstimateOptions, read: Read) {
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
