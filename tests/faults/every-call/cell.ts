/** A whole stack of one's own, for one batch at a time: storage account, broker, host, and a clock that can be set forward. */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TableClient } from '@azure/data-tables';
import { QueueServiceClient } from '@azure/storage-queue';
import type { AzuritePorts } from '../../../local/azurite.ts';
import { makeStorage } from '../../../local/make-storage.ts';
import { startServiceBus } from '../../../local/service-bus/index.ts';
import { CONTAINERS, TABLES } from '../../../shared/contract/names.ts';
import { type Api, createApi } from '../harness/api.ts';
import { directEntities, SUBSCRIPTIONS } from '../harness/entities.ts';
import { listenForDurable, startHostPart } from '../harness/host-part.ts';
import { startStorageProxy } from '../harness/storage-proxy.ts';
import { createDirector, type Director } from './director.ts';

export interface CellOptions {
  name: string;
  appFolder: string;
  /** Of all cells together. */
  folder: string;
  azurite: AzuritePorts;
}

export interface Cell {
  director: Director;
  api: Api;
  batches: TableClient;
  gates: TableClient;
  queues: QueueServiceClient;
  /** Lets all services' clocks go on by `ms`: waits that last minutes are over in a moment. */
  advance(ms: number): void;
  /** How far the clocks are ahead by now. */
  clockOffsetMs(): number;
  /** Sets the clocks right. */
  resetClock(): void;
  /** Resolves when no kill is under way, and the host is back. */
  whole(): Promise<void>;
  stop(): Promise<void>;
}

/** Azurite takes any key for an account that it is told of: AZURITE_ACCOUNTS. */
export const accountKey = (name: string): string => createHash('sha256').update(name).digest('base64');

/** Starts a cell on an Azurite that knows its account. */
export async function startCell({ name, appFolder, folder, azurite }: CellOptions): Promise<Cell> {
  let offsetMs = 0;
  let coming: Promise<void> = Promise.resolve();
  const director = createDirector(() => {
    coming = host.part.kill().then(() => host.part.start());
  });
  const direct = connectionString(name, azurite);
  await makeStorage(direct, { containers: Object.values(CONTAINERS), tables: Object.values(TABLES) });
  const proxies = await startProxies(azurite, director, () => offsetMs);
  const bus = await startServiceBus({
    config: directEntities(),
    file: ':memory:',
    fault: director.broker,
    now: () => Date.now() + offsetMs,
  });
  const durable = await listenForDurable(director.durable);
  await mkdir(join(folder, name), { recursive: true });
  const host = await startHostPart({
    ...{ appFolder, folder: join(folder, name), storage: connectionString(name, proxies.ports) },
    ...{ serviceBus: bus.connectionString, subscription: SUBSCRIPTIONS.wake, faultUrl: durable.url },
  });
  return {
    director,
    api: createApi(host.url),
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
      await host.part.stop();
      durable.close();
      proxies.close();
      await bus.close();
    },
  };
}

async function startProxies(azurite: AzuritePorts, director: Director, clockOffsetMs: () => number) {
  const start = (service: 'blob' | 'queue' | 'table') =>
    startStorageProxy({ service, target: azurite[service], intercept: director.storage, clockOffsetMs });
  const [blob, queue, table] = await Promise.all([start('blob'), start('queue'), start('table')]);
  const ports: AzuritePorts = { blob: blob.port, queue: queue.port, table: table.port };
  return { ports, close: () => [blob, queue, table].forEach((proxy) => void proxy.close()) };
}

function connectionString(account: string, ports: AzuritePorts): string {
  const endpoint = (name: string, port: number): string => `${name}Endpoint=http://127.0.0.1:${port}/${account};`;
  const endpoints = [endpoint('Blob', ports.blob), endpoint('Queue', ports.queue), endpoint('Table', ports.table)];
  return `DefaultEndpointsProtocol=http;AccountName=${account};AccountKey=${accountKey(account)};${endpoints.join('')}`;
}
