/** What a deployment would have made before the app runs. */
export interface StorageLayout {
  containers: readonly string[];
  tables: readonly string[];
}

/** Loads the clients that `makeStorage` uses, which takes as long as Azurite takes to start. */
export const loadStorageClients = () => Promise.all([import('@azure/storage-blob'), import('@azure/data-tables')]);

/** Makes the containers and tables that are missing. Queues are the app's own business. */
export async function makeStorage(connectionString: string, { containers, tables }: StorageLayout): Promise<void> {
  const [{ BlobServiceClient }, { TableServiceClient }] = await loadStorageClients();
  const blobs = BlobServiceClient.fromConnectionString(connectionString);
  const rows = TableServiceClient.fromConnectionString(connectionString, { allowInsecureConnection: true });
  await Promise.all([
    ...containers.map((name) => blobs.getContainerClient(name).createIfNotExists()),
    // The table client takes "exists already" for success.
    ...tables.map((name) => rows.createTable(name)),
  ]);
}
