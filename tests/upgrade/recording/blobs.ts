import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';

interface RecordedBlob {
  name: string;
  contentType?: string | undefined;
  metadata?: Record<string, string> | undefined;
  base64: string;
}
/** Blocks that an interrupted upload has staged: their ids and sizes, without their content, which nothing can read. */
interface StagedBlocks {
  name: string;
  blocks: { id: string; bytes: number }[];
}
/** Blobs by container, in the order of their names. */
export type RecordedBlobs = Record<string, { blobs: RecordedBlob[]; staged?: StagedBlocks[] }>;

/** Reads all blobs of all containers. */
export async function exportBlobs(connection: string): Promise<RecordedBlobs> {
  const service = BlobServiceClient.fromConnectionString(connection);
  const recorded: RecordedBlobs = {};
  for await (const { name } of service.listContainers()) {
    const { blobs, staged } = await exportContainer(service.getContainerClient(name));
    recorded[name] = { blobs, ...(staged.length === 0 ? {} : { staged }) };
  }
  return recorded;
}

async function exportContainer(container: ContainerClient) {
  const blobs: RecordedBlob[] = [];
  const staged: StagedBlocks[] = [];
  const committed = new Set<string>();
  for await (const { name, properties, metadata } of container.listBlobsFlat({ includeMetadata: true })) {
    committed.add(name);
    const content = await container.getBlobClient(name).downloadToBuffer();
    const hasMetadata = metadata !== undefined && Object.keys(metadata).length > 0;
    blobs.push({
      name,
      ...(properties.contentType === undefined ? {} : { contentType: properties.contentType }),
      ...(hasMetadata ? { metadata } : {}),
      base64: content.toString('base64'),
    });
  }
  for await (const { name } of container.listBlobsFlat({ includeUncommitedBlobs: true })) {
    if (committed.has(name)) continue;
    const { uncommittedBlocks = [] } = await container.getBlockBlobClient(name).getBlockList('uncommitted');
    staged.push({ name, blocks: uncommittedBlocks.map(({ name: id, size: bytes }) => ({ id, bytes })) });
  }
  return { blobs, staged };
}

/** Writes the blobs to containers that exist. Staged blocks have zeros as content. */
export async function loadBlobs(connection: string, recorded: RecordedBlobs): Promise<void> {
  const service = BlobServiceClient.fromConnectionString(connection);
  for (const [container, { blobs, staged = [] }] of Object.entries(recorded)) {
    const client = service.getContainerClient(container);
    await client.createIfNotExists();
    for (const { name, contentType, metadata, base64 } of blobs)
      await client.getBlockBlobClient(name).uploadData(Buffer.from(base64, 'base64'), {
        ...(contentType === undefined ? {} : { blobHTTPHeaders: { blobContentType: contentType } }),
        ...(metadata === undefined ? {} : { metadata }),
      });
    for (const { name, blocks } of staged)
      for (const { id, bytes } of blocks)
        await client.getBlockBlobClient(name).stageBlock(id, Buffer.alloc(bytes), bytes);
  }
}
