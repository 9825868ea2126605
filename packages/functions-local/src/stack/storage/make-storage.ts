/** The resources that a deployment would have created before the app runs. */
export interface StorageLayout {
  containers: readonly string[];
  tables: readonly string[];
}

/** Loads the clients of `makeStorage`. This takes as long as the start of Azurite. */
export const loadStorageClients = () => Promise.all([import('@azure/storage-blob'), import('@azure/data-tables')]);

/** Creates the missing containers and tables. The app itself creates its queues. */
export async function makeStorage(connectionString: string, { containers, tables }: StorageLayout): Promise<void> {
  const [{ BlobServiceClient }, { TableServiceClient }] = await loadStorageClients();
  const blobs = BlobServiceClient.fromConnectionString(connectionString);
  const rows = TableServiceClient.fromConnectionString(connectionString, { allowInsecureConnection: true });
  await Promise.all([
    ...containers.map((name) => blobs.getContainerClient(name).createIfNotExists()),
    // The table client treats "already exists" as success.
    ...tables.map((name) => rows.createTable(name)),
  ]);
}
