/** The one place that makes SDK clients: from a connection string (local), or from service URIs and a managed identity. */
import { TableClient } from '@azure/data-tables';
import { DefaultAzureCredential, ManagedIdentityCredential, type TokenCredential } from '@azure/identity';
import { ServiceBusClient, type ServiceBusSender } from '@azure/service-bus';
import { BlobServiceClient, type ContainerClient, newPipeline } from '@azure/storage-blob';
import { newPipeline as newQueuePipeline, type QueueClient, QueueServiceClient } from '@azure/storage-queue';
import { TABLES } from '../contract/names.ts';
import type { Meter } from '../cost/meter.ts';
import type { Settings } from '../settings.ts';
import { openTable, type Table } from './table.ts';

/** Every client of the app. They are lazy by nature: nothing is sent before the first call. */
export interface Clients {
  /** Name of the data account, as events carry it. */
  account: string;
  container: (name: string) => ContainerClient;
  queue: (name: string) => QueueClient;
  batches: Table;
  gates: Table;
  keys: Table;
  topic: ServiceBusSender;
  meter: Meter;
  close: () => Promise<void>;
}

/** Transient faults (503 Server Busy, resets) are retried with exponential back-off and jitter before anybody hears of them. */
const retryOptions = { maxTries: 5, retryDelayInMs: 400, maxRetryDelayInMs: 10_000 };
const tableRetryOptions = { maxRetries: 4, retryDelayInMs: 400, maxRetryDelayInMs: 10_000 };

/** Makes all clients; `settings` have been checked, so that one of the two forms is whole. */
export function createClients(settings: Settings, meter: Meter): Clients {
  const { blobs, queues, table } = createStorage(settings, meter);
  const bus = createServiceBus(settings);
  return {
    account: blobs.accountName,
    container: (name) => blobs.getContainerClient(name),
    queue: (name) => queues.getQueueClient(name),
    batches: openTable(table(TABLES.batches)),
    gates: openTable(table(TABLES.gates)),
    keys: openTable(table(TABLES.keys)),
    topic: bus.createSender(settings.topic),
    meter,
    close: () => bus.close(),
  };
}

/** The containers of the data account alone, for a worker thread: the rest of the clients stays where the queues are worked. */
export function createContainers(settings: Settings, meter: Meter): Clients['container'] {
  const { blobs } = createStorage(settings, meter);
  return (name) => blobs.getContainerClient(name);
}

interface Storage {
  blobs: BlobServiceClient;
  queues: QueueServiceClient;
  table: (name: string) => TableClient;
}

function createStorage({ storage }: Settings, meter: Meter): Storage {
  const { connectionString, blobServiceUri = '', queueServiceUri = '', tableServiceUri = '', clientId } = storage;
  const pipeline = { retryOptions };
  if (connectionString !== undefined) {
    const blobs = BlobServiceClient.fromConnectionString(connectionString);
    const queues = QueueServiceClient.fromConnectionString(connectionString);
    return {
      blobs: new BlobServiceClient(blobs.url, meter.attach('blob', newPipeline(blobs.credential, pipeline))),
      queues: new QueueServiceClient(
        queues.url,
        meter.attach('queue', newQueuePipeline(queuesCredential(queues), pipeline)),
      ),
      table: (name) => TableClient.fromConnectionString(connectionString, name, tableOptions(meter, true)),
    };
  }
  const credential = credentialOf(clientId);
  return {
    blobs: new BlobServiceClient(blobServiceUri, meter.attach('blob', newPipeline(credential, pipeline))),
    queues: new QueueServiceClient(queueServiceUri, meter.attach('queue', newQueuePipeline(credential, pipeline))),
    table: (name) => new TableClient(tableServiceUri, name, credential, tableOptions(meter, false)),
  };
}

/** storage-queue keeps the credential of a connection string to itself (typed protected), unlike storage-blob. */
const queuesCredential = (client: QueueServiceClient): TokenCredential =>
  (client as unknown as { credential: TokenCredential }).credential;

const tableOptions = (meter: Meter, allowInsecureConnection: boolean) => ({
  ...meter.tableOptions(),
  retryOptions: tableRetryOptions,
  allowInsecureConnection,
});

/** A send whose connection is cut waits its whole time-out, 60 s by default: longer than a client waits for its answer. */
const busOptions = { retryOptions: { timeoutInMs: 10_000, maxRetries: 2, retryDelayInMs: 500 } };

function createServiceBus({ serviceBus }: Settings): ServiceBusClient {
  const { connectionString, fullyQualifiedNamespace = '', clientId } = serviceBus;
  if (connectionString !== undefined) return new ServiceBusClient(connectionString, busOptions);
  return new ServiceBusClient(fullyQualifiedNamespace, credentialOf(clientId), busOptions);
}

/** With a client id: that user-assigned identity. Without: whatever the environment offers (system identity, developer). */
const credentialOf = (clientId: string | undefined): TokenCredential =>
  clientId === undefined ? new DefaultAzureCredential() : new ManagedIdentityCredential({ clientId });
