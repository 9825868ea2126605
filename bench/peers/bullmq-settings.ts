/** What both sides of the queue share. */

/** Names of the queues. */
export const GROUPS = 'groups';
export const ITEMS = 'items';
/** Of all keys: they are told from what else a Redis of the user's own has. */
export const prefix = 'sluice-bench';

/** The aggregate of one group: keys and values. */
export type Partial = [string, unknown][];

/** Of the connection. A worker waits for Redis rather than failing: docs.bullmq.io/guide/going-to-production. */
export const redisOptions = (url: string) => ({ url, maxRetriesPerRequest: null });
