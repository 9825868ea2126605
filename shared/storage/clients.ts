/** The one place that makes SDK clients: from a connection string (local), or from service URIs and a managed identity. */
import { TableClient } from '@azure/data-tables';
import type { TokenCredential } from '@azure/identity';
import { ServiceBusClient, type ServiceBusSender } from '@azure/service-bus';
import { BlobServiceClient, type ContainerClient, newPipeline } from '@azure/storage-blob';
import { newPipeline as newQueuePipeline, type QueueClient, QueueServiceClient } from '@azure/storage-queue';
import { TABLES } from '../contract/names.ts';
import type { Meter, PipelinePolicy } from '../cost/meter.ts';
import type { StorageService } from '../cost/operation-of.ts';
import { lazily } from '../lazily.ts';
import type { Settings } from '../settings.ts';
import { missingContainerPolicy } from './policies/missing-container.ts';
import { withPolicies } from './policies/pipeline.ts';
import type { RetryLimits } from './policies/retry-limits.ts';
import { retryPolicy } from './policies/retry-policy.ts';
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

/** The SDKs' own retries are off: `retryPolicy` stands in their place, for all services. */
const NO_RETRIES = { retryOptions: { maxTries: 1, maxRetries: 0 } };

/**
 * Makes all clients; `settings` have been checked, so that one of the two forms is whole.
 * @param limits of a storage call, default `RETRY_LIMITS`
 */
export function createClients(settings: Settings, meter: Meter, limits?: RetryLimits): Clients {
  const { blobs, queues, table } = createStorage(settings, meter, limits);
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

function createStorage({ storage }: Settings, meter: Meter, limits?: RetryLimits): Storage {
  const { connectionString, blobServiceUri = '', queueServiceUri = '', tableServiceUri = '', clientId } = storage;
  const policies = (service: StorageService): PipelinePolicy[] => [retryPolicy(limits), meter.policy(service)];
  const blobsAt = (url: string, credential: BlobServiceClient['credential']) =>
    new BlobServiceClient(
      url,
      withPolicies(newPipeline(credential, NO_RETRIES), [missingContainerPolicy, ...policies('blob')]),
    );
  const queuesAt = (url: string, credential: TokenCredential) =>
    new QueueServiceClient(url, withPolicies(newQueuePipeline(credential, NO_RETRIES), policies('queue')));
  const guarded = (client: TableClient): TableClient => {
    // Behind the SDK's retry policy, before the one that signs.
    for (const policy of policies('table')) client.pipeline.addPolicy(policy, { afterPhase: 'Retry' });
    return client;
  };
  if (connectionString !== undefined) {
    const blobs = BlobServiceClient.fromConnectionString(connectionString);
    const queues = QueueServiceClient.fromConnectionString(connectionString);
    const options = { ...NO_RETRIES, allowInsecureConnection: true };
    return {
      blobs: blobsAt(blobs.url, blobs.credential),
      queues: queuesAt(queues.url, queuesCredential(queues)),
      table: (name) => guarded(TableClient.fromConnectionString(connectionString, name, options)),
    };
  }
  const credential = credentialOf(clientId);
  return {
    blobs: blobsAt(blobServiceUri, credential),
    queues: queuesAt(queueServiceUri, credential),
    table: (name) => guarded(new TableClient(tableServiceUri, name, credential, NO_RETRIES)),
  };
}

/** storage-queue keeps the credential of a connection string to itself (typed protected), unlike storage-blob. */
const queuesCredential = (client: QueueServiceClient): TokenCredential =>
  (client as unknown as { credential: TokenCredential }).credential;

/**
 * A send whose connection is cut waits its whole time-out, 60 s by default: longer than a client waits for its answer. A
 * bus that stays silent fails a send after 31 s.
 */
const busOptions = { retryOptions: { timeoutInMs: 10_000, maxRetries: 2, retryDelayInMs: 500 } };

function createServiceBus({ serviceBus }: Settings): ServiceBusClient {
  const { connectionString, fullyQualifiedNamespace = '', clientId } = serviceBus;
  if (connectionString !== undefined) return new ServiceBusClient(connectionString, busOptions);
  return new ServiceBusClient(fullyQualifiedNamespace, credentialOf(clientId), busOptions);
}

/**
 * With a client id: that user-assigned identity. Without: whatever the environment offers (system identity, developer). The
 * library is a tenth of what an instance loads, and is loaded with the first token: connection strings need none.
 */
function credentialOf(clientId: string | undefined): TokenCredential {
  const credential = lazily(async (): Promise<TokenCredential> => {
    const { DefaultAzureCredential, ManagedIdentityCredential } = await import('@azure/identity');
    return clientId === undefined ? new DefaultAzureCredential() : new ManagedIdentityCredential({ clientId });
  });
  return { getToken: async (scopes, options) => (await credential()).getToken(scopes, options) };
}
