/** The settings that both sides of the queue share. */

/** Names of the queues. */
export const GROUPS = 'groups';
export const ITEMS = 'items';

/** The aggregate of one group: keys and values. */
export type Partial = [string, unknown][];

/**
 * Options of queue, events and worker. The prefix separates their keys from others in a Redis that already exists. A
 * worker waits for Redis rather than failing (Source: docs.bullmq.io/guide/going-to-production).
 */
export const connectionTo = (url: string) => ({
  connection: { url, maxRetriesPerRequest: null },
  prefix: 'sluice-bench',
});
