/**
 * The only file of `shared/` that creates clients of storage and Service Bus: from a connection string (local), or from
 * service URIs and a managed identity. (The exporter of telemetry/ creates a credential of its own.)
 */

import type { TokenCredential } from '@azure/core-auth';
import { TableClient } from '@azure/data-tables';
import { ServiceBusClient, type ServiceBusSender } from '@azure/service-bus';
import { BlobServiceClient, type ContainerClient, newPipeline } from '@azure/storage-blob';
import { newPipeline as newQueuePipeline, type QueueClient, QueueServiceClient } from '@azure/storage-queue';
import { TABLES } from '../contract/names.ts';
import type { Meter, PipelinePolicy } from '../cost/meter.ts';
import type { StorageService } from '../cost/operation-of.ts';
import { lazily } from '../lazily.ts';
import type { Settings } from '../settings.ts';
import { missingContainerPolicy, withPolicies } from './policies/pipeline.ts';
import type { RetryLimits } from './policies/retry-limits.ts';
import { retryPolicy } from './policies/retry-policy.ts';
import { openTable, type Table } from './table.ts';

/** All clients of the app. They send nothing before the first call. */
export interface Clients {
  /** Name of the data account, as events contain it. */
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

/** The SDKs' own retries are off: `retryPolicy` replaces them for all services. */
const NO_RETRIES = { retryOptions: { maxTries: 1, maxRetries: 0 } };

/**
 * Creates all clients. `settings` must have been checked, so that one of the two forms is complete.
 * @param limits of a storage call; defaults to `RETRY_LIMITS`
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

/** Creates only the containers of the data account, for a worker thread: the main thread uses the other clients. */
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
    // Runs after the SDK's retry policy and before the policy that signs.
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

/** storage-queue does not expose the credential of a connection string (it is typed protected), unlike storage-blob. */
const queuesCredential = (client: QueueServiceClient): TokenCredential =>
  (client as unknown as { credential: TokenCredential }).credential;

/**
 * A send whose connection is cut waits for its whole time limit. The default of 60 s is longer than a client waits for
 * its response. With these values, a send to a bus that does not respond fails after 31 s.
 */
const busOptions = { retryOptions: { timeoutInMs: 10_000, maxRetries: 2, retryDelayInMs: 500 } };

function createServiceBus({ serviceBus }: Settings): ServiceBusClient {
  const { connectionString, fullyQualifiedNamespace = '', clientId } = serviceBus;
  if (connectionString !== undefined) return new ServiceBusClient(connectionString, busOptions);
  return new ServiceBusClient(fullyQualifiedNamespace, credentialOf(clientId), busOptions);
}

/**
 * With a client id, uses that user-assigned identity; otherwise any identity that the environment offers (system
 * identity, developer). The library is a tenth of the code that an instance loads, so it is loaded with the first
 * token. Connection strings need none.
 */
function credentialOf(clientId: string | undefined): TokenCredential {
  const credential = lazily(async (): Promise<TokenCredential> => {
    const { DefaultAzureCredential, ManagedIdentityCredential } = await import('@azure/identity');
    return clientId === undefined ? new DefaultAzureCredential() : new ManagedIdentityCredential({ clientId });
  });
  return { getToken: async (scopes, options) => (await credential()).getToken(scopes, options) };
}
