import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TableClient } from '@azure/data-tables';
import { type QueueClient, QueueServiceClient } from '@azure/storage-queue';
import { startStorage } from 'functions-local';

/** A real store for walks: tables and queues of their own, gone when it is stopped. */
export interface WalkStore {
  table: (name: string) => Promise<TableClient>;
  queue: (name: string) => Promise<QueueClient>;
  stop: () => Promise<void>;
}

export async function startStore(): Promise<WalkStore> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-walk-'));
  const { connection, stop } = await startStorage({ folder, logFile: join(folder, 'azurite.log') });
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
    stop: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
