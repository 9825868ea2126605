/** Counts that follow from others, before any price. */
import type { Operations } from '../contract/operations.ts';

/** Every count times n. */
export const timesOperations = (operations: Operations, n: number): Operations =>
  Object.fromEntries(Object.entries(operations).map(([name, count]) => [name, count * n]));

const STORAGE = new Set(['blob', 'queue', 'table']);

/** How many of the operations go to storage. */
export const storageOperations = (operations: Operations): number =>
  Object.entries(operations).reduce((sum, [name, n]) => (STORAGE.has(name.split('.', 1)[0] ?? '') ? sum + n : sum), 0);

/** Enqueue is one transaction, consume is two: get and delete (the white paper's figures). */
export const MESSAGE_AN_ITEM: Operations = { 'queue.put': 1, 'queue.get': 1, 'queue.delete': 1 };

/** The durable backends that the app can be deployed with. */
export const DURABLE_BACKENDS = ['azureStorage', 'dts'] as const;
export type DurableBackend = (typeof DURABLE_BACKENDS)[number];

/**
 * What the Durable extension does on Azure Storage for one action (a start is 1, an activity 2): a message put, got and
 * deleted, and two table operations, averaged over a drain with two activities: 5 messages, 3 episodes that each read and
 * append history and update the instance, 1 instance row. Computed from Azure/durabletask AzureStorageOrchestrationService.cs,
 * not measured: the extension's requests do not pass through our meter.
 */
export const DURABLE_ACTION_ON_STORAGE: Operations = {
  'queue.put': 1,
  'queue.get': 1,
  'queue.delete': 1,
  'table.query': 1,
  'table.transaction': 1,
};

/** What the Durable extension does on Azure Storage to read the status of an orchestration: computed, like the above. */
export const DURABLE_STATUS_ON_STORAGE: Operations = { 'table.query': 1 };
