/** Compares the two durable backends, each at its own price. */
import { DURABLE_BACKENDS, type DurableBackend } from '../../../shared/cost/deployed.ts';
import type { PriceClass, PriceSheet } from '../../../shared/cost/sheet.ts';
import { type BatchPrice, batchPrice } from './batch-price.ts';
import { sumIdleBill } from './bill.ts';
import { batchesOf, modelMonth } from './model.ts';
import { type MonthParameters, shapeOf } from './month-parameters.ts';

/** The cost of a deployment with one backend. */
export interface BackendCost {
  /** The whole idle bill, before free grants. */
  idleUsd: number;
  /** The month of the design, work included, before free grants. */
  monthUsd: number;
  /** One batch of the given size, alone. */
  batch: BatchPrice;
  unverified: PriceClass[];
}

/** Both backends, and from where on Azure Storage is cheaper. */
export interface Backends extends Record<DurableBackend, BackendCost> {
  /**
   * The number of batches per month from which Azure Storage is cheaper, all else equal. Below it, the Durable Task
   * Scheduler is, because it polls nothing. null means never, or that the sheet has no price.
   */
  storageFromBatches: number | null;
}

function costOf(parameters: MonthParameters, sheet: PriceSheet): BackendCost {
  const { sluice } = modelMonth(parameters, sheet);
  return {
    idleUsd: sumIdleBill(parameters, sheet).totalUsd,
    monthUsd: sluice.totalUsd,
    batch: batchPrice(shapeOf(batchesOf(parameters).items, parameters), parameters, sheet),
    unverified: sluice.unverified,
  };
}

/**
 * Returns the part of a month's cost that does not depend on the number of batches. Without batches it is the polling,
 * including that of busy hosts.
 */
const pollingUsd = (parameters: MonthParameters, sheet: PriceSheet): number =>
  modelMonth({ ...parameters, items: 0 }, sheet).sluice.totalUsd;

/**
 * Compares the month and one batch on each backend. Every batch has the same price, so the break-even has a closed
 * form.
 */
export function backends(parameters: MonthParameters, sheet: PriceSheet): Backends {
  const on = (backend: DurableBackend) => ({ ...parameters, backend });
  const [azureStorage, dts] = DURABLE_BACKENDS.map((backend) => costOf(on(backend), sheet)) as [
    BackendCost,
    BackendCost,
  ];
  const dearer = azureStorage.batch.usd === null || dts.batch.usd === null ? 0 : dts.batch.usd - azureStorage.batch.usd;
  const polling = pollingUsd(on('azureStorage'), sheet) - pollingUsd(on('dts'), sheet);
  return { azureStorage, dts, storageFromBatches: dearer > 0 ? Math.floor(polling / dearer) + 1 : null };
}
