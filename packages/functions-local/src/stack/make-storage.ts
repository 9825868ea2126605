import { TableServiceClient } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';

/** What a deployment would have made before the app runs. */
export interface StorageLayout {
  containers: readonly string[];
  tables: readonly string[];
}

/** Makes the containers and tables that are missing. Queues are the app's own business. */
export async function makeStorage(connectionString: string, { containers, tables }: StorageLayout): Promise<void> {
  const blobs = BlobServiceClient.fromConnectionString(connectionString);
  const rows = TableServiceClient.fromConnectionString(connectionString, { allowInsecureConnection: true });
  await Promise.all(containers.map((name) => blobs.getContainerClient(name).createIfNotExists()));
  // The table client takes "exists already" for success.
  await Promise.all(tables.map((name) => rows.createTable(name)));
}
