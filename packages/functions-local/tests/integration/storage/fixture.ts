/** Azurite behind the front, with the SDKs. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TableClient } from '@azure/data-tables';
import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';
import { type QueueClient, QueueServiceClient } from '@azure/storage-queue';
import { startStorage } from '../../../src/stack/storage/start-storage.ts';
import type { ClientOptions, FrontClient } from '../../../src/storage/index.ts';

/** A client of the front with the SDKs. Retries are off, so that a refusal is visible. */
export interface SdkClient extends FrontClient {
  queue(name: string): Promise<QueueClient>;
  table(name: string): Promise<TableClient>;
  container(name: string): Promise<ContainerClient>;
}

export interface Fixture {
  add(options?: ClientOptions): Promise<SdkClient>;
  /** Ports of Azurite itself. */
  direct: SdkClient;
  stop(): Promise<void>;
}

export async function startFixture(): Promise<Fixture> {
  const folder = await mkdtemp(join(tmpdir(), 'storage-front-'));
  const storage = await startStorage({ folder, logFile: join(folder, 'azurite.log') });
  return {
    add: async (options = {}) => withSdks(await storage.front.addClient(options)),
    direct: withSdks({ ports: storage.services, connectionString: () => storage.direct, close: () => {} }),
    stop: async () => {
      await storage.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function withSdks(client: FrontClient): SdkClient {
  const connection = client.connectionString();
  const once = { retryOptions: { maxTries: 1 } };
  return {
    ...client,
    queue: async (name) => {
      const queue = QueueServiceClient.fromConnectionString(connection, once).getQueueClient(name);
      await queue.createIfNotExists();
      return queue;
    },
    table: async (name) => {
      const options = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };
      const table = TableClient.fromConnectionString(connection, name, options);
      await table.createTable();
      return table;
    },
    container: async (name) => {
      const container = BlobServiceClient.fromConnectionString(connection, once).getContainerClient(name);
      await container.createIfNotExists();
      return container;
    },
  };
}

/** Returns status and code of the SDK's error. Fails if there is no error. */
export async function refusalOf(call: Promise<unknown>): Promise<{ status: unknown; code: unknown; text: string }> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error('Expected the call to be refused, but it succeeded.');
  const { statusCode, code, details } = error as Error & {
    statusCode?: number;
    code?: string;
    details?: { errorCode?: string; odataError?: { code?: string } };
  };
  return { status: statusCode, code: code ?? details?.odataError?.code ?? details?.errorCode, text: error.message };
}
