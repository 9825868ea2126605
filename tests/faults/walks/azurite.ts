import { TableClient } from '@azure/data-tables';
import { type QueueClient, QueueServiceClient } from '@azure/storage-queue';
import { openAccount } from '../../helpers/own-account.ts';

/** A real store for walks, with separate tables and queues that are removed when it is stopped. */
export interface WalkStore {
  table: (name: string) => Promise<TableClient>;
  queue: (name: string) => Promise<QueueClient>;
  stop: () => Promise<void>;
}

export async function startStore(): Promise<WalkStore> {
  const { connection, stop } = await openAccount();
  const queues = QueueServiceClient.fromConnectionString(connection);
  return {
    table: async (name) => {
      const table = TableClient.fromConnectionString(connection, name, { allowInsecureConnection: true });
      await table.createTable();
      return table;
    },
    queue: async (name) => {
      const queue = queues.getQueueClient(name);
      await queue.create();
      return queue;
    },
    stop,
  };
}
