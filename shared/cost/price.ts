import type { Operations } from '../contract/operations.ts';
import { type PriceClass, type PriceSheet, unitPrice } from './sheet.ts';

/**
 * Blobs: learn.microsoft.com/azure/storage/blobs/map-rest-apis-transaction-categories (general purpose v2). Reads of
 * queues are in class 2, as the price page listed them: not verified, and without effect while both classes cost the same.
 */
const CLASSES: Readonly<Record<string, PriceClass>> = {
  'blob.put': 'blob.write',
  'blob.stage': 'blob.write',
  'blob.commit': 'blob.write',
  'blob.copy': 'blob.write',
  'blob.get': 'blob.read',
  'blob.list': 'blob.list',
  'blob.create': 'blob.list',
  'blob.delete': 'blob.delete',
  'queue.get': 'queue.class2',
  'queue.peek': 'queue.class2',
  'queue.properties': 'queue.class2',
  'functions.execution': 'functions.execution',
  'functions.gbSecond': 'functions.gbSecond',
  'durable.action': 'durable.action',
};
const OTHERS: Readonly<Record<string, PriceClass>> = {
  blob: 'blob.other',
  queue: 'queue.class1',
  table: 'table.operation',
  servicebus: 'servicebus.operation',
};

/** Returns the price class of a counted operation, or undefined if the operation is not priced by count. */
export const priceClassOf = (operation: string): PriceClass | undefined =>
  CLASSES[operation] ?? OTHERS[serviceOf(operation)];

const serviceOf = (operation: string): string => operation.split('.', 1)[0] ?? operation;

/** USD by service, and the price classes behind the sum. */
export interface Priced {
  byService: Record<string, number>;
  totalUsd: number;
  /** Operations without a price: they are not in the total. */
  unpriced: string[];
  /** Price classes in the total that have no verified source. */
  unverified: PriceClass[];
}

/** Prices each operation, even if a base fee includes it: an upper bound. */
export function priceOperations(operations: Operations, sheet: PriceSheet): Priced {
  const byService: Record<string, number> = {};
  const unpriced: string[] = [];
  const unverified = new Set<PriceClass>();
  for (const [operation, n] of Object.entries(operations)) {
    const priceClass = priceClassOf(operation);
    const price = priceClass === undefined ? null : unitPrice(sheet, priceClass);
    if (priceClass === undefined || price === null) {
      unpriced.push(operation);
      continue;
    }
    const service = serviceOf(operation);
    byService[service] = (byService[service] ?? 0) + n * price;
    if (!sheet.prices[priceClass].verified) unverified.add(priceClass);
  }
  const totalUsd = Object.values(byService).reduce((sum, usd) => sum + usd, 0);
  return { byService, totalUsd, unpriced, unverified: [...unverified] };
}

/** Memory of an instance: the deployment's default (infra/pools.json). */
export const INSTANCE_GB = 2;
/**
 * An execution on demand is billed for at least 1,000 ms, in steps of 100 ms. Source: learn.microsoft.com,
 * flex-consumption-plan.
 */
const MIN_SECONDS = 1;
const STEPS_PER_SECOND = 10;

/**
 * Returns the GB-seconds that are billed for an execution of this duration if no other runs on its instance at the same
 * time. `instanceGb` defaults to the deployment's default memory.
 */
export const gbSecondsOf = (seconds: number, instanceGb = INSTANCE_GB): number =>
  instanceGb * Math.max(MIN_SECONDS, Math.ceil(seconds * STEPS_PER_SECOND) / STEPS_PER_SECOND);
