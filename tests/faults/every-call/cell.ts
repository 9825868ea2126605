/**
 * A complete separate stack for one batch at a time: storage account, broker, host, and a clock that can be set
 * forward.
 */

import { join } from 'node:path';
import { TableClient } from '@azure/data-tables';
import { QueueServiceClient } from '@azure/storage-queue';
import { connectionString, type LocalStorage, makeStorage, type StorageAccount, startStack } from 'functions-local';
import { startServiceBus } from 'functions-local/service-bus';
import { CONTAINERS, TABLES } from '../../../shared/contract/names.ts';
import { type Api, createApi } from '../harness/api.ts';
import { listenForDurable } from '../harness/durable-faults.ts';
import { directEntities, SUBSCRIPTIONS } from '../harness/entities.ts';
import { faultSettings } from '../harness/settings.ts';
import { createDirector, type Director } from './director.ts';

export interface CellOptions {
  /** The cell's own account; its name is the cell's name. */
  account: StorageAccount;
  appFolder: string;
  /** Shared by all cells. */
  folder: string;
  storage: Pick<LocalStorage, 'front' | 'services'>;
}

export interface Cell {
  director: Director;
  api: Api;
  batches: TableClient;
  gates: TableClient;
  queues: QueueServiceClient;
  /** Sets the clocks of all services forward by `ms`, so that waits of minutes end immediately. */
  advance(ms: number): void;
  /** Milliseconds by which the clocks are ahead. */
  clockOffsetMs(): number;
  /** Resets the clocks. */
  resetClock(): void;
  /** Resolves when no kill is in progress, and the host is running again. */
  whole(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a cell on an Azurite that knows its account. */
export async function startCell({ account, appFolder, folder, storage }: CellOptions): Promise<Cell> {
  let offsetMs = 0;
  let coming: Promise<void> = Promise.resolve();
  const director = createDirector(() => {
    const [host] = stack.instances;
    coming = host.kill().then(() => host.start());
  });
  const direct = connectionString(storage.services, account);
  await makeStorage(direct, { containers: Object.values(CONTAINERS), tables: Object.values(TABLES) });
  // The clocks of the services are ahead of the app's, so no date of a call would be valid.
  const client = await storage.front.addClient({
    intercept: director.storage,
    clockOffsetMs: () => offsetMs,
    checkDates: false,
  });
  const bus = await startServiceBus({
    config: directEntities(),
    file: ':memory:',
    fault: director.broker,
    now: () => Date.now() + offsetMs,
  });
  const durable = await listenForDurable(director.durable);
  const connections = { storage: client.connectionString(account), serviceBus: bus.connectionString };
  // All cells share one storage, and the broker's clock is set from here, so the stack starts neither.
  const stack = await startStack({
    ...{ appFolder, folder: join(folder, account.name), durableFaultUrl: durable.url },
    settings: () => faultSettings({ appFolder, ...connections, subscription: SUBSCRIPTIONS.wake }),
    ...{ restart: false, enforceKeys: false },
  });
  void stack.failed.then(console.error);
  return {
    director,
    api: createApi(stack.url),
    batches: TableClient.fromConnectionString(direct, TABLES.batches, { allowInsecureConnection: true }),
    gates: TableClient.fromConnectionString(direct, TABLES.gates, { allowInsecureConnection: true }),
    queues: QueueServiceClient.fromConnectionString(direct),
    advance: (ms) => {
      offsetMs += ms;
    },
    clockOffsetMs: () => offsetMs,
    resetClock: () => {
      offsetMs = 0;
    },
    whole: () => coming,
    stop: async () => {
      await coming;
      await stack.stop();
      durable.close();
      client.close();
      await bus.close();
    },
  };
}
