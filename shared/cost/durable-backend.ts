import type { Operations } from '../contract/operations.ts';

/** The durable backends that the app can be deployed with. */
export const DURABLE_BACKENDS = ['azureStorage', 'dts'] as const;
export type DurableBackend = (typeof DURABLE_BACKENDS)[number];

/**
 * The operations of the Durable extension on Azure Storage for one action (a start is 1, an activity 2): a message put,
 * got and deleted, and two table operations. They are the mean of a drain with two activities: 5 messages, 3 episodes that
 * each read and append history and update the instance, 1 instance row. Calculated from Azure/durabletask
 * AzureStorageOrchestrationService.cs, not measured: the extension's requests do not pass through our meter.
 */
export const DURABLE_ACTION_ON_STORAGE: Operations = {
  'queue.put': 1,
  'queue.get': 1,
  'queue.delete': 1,
  'table.query': 1,
  'table.transaction': 1,
};

/** The operations of the Durable extension on Azure Storage to read the status of an orchestration; also calculated. */
export const DURABLE_STATUS_ON_STORAGE: Operations = { 'table.query': 1 };
