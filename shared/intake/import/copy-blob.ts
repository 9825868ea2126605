/**
 * Copies a blob into the inbox, block by block. The blocks stay uncommitted until the copy is complete: a copy by the
 * service would be visible, and might be taken, while it is under way. The ids of the blocks contain the version of the
 * source and their position, so nothing else is needed to resume after a crash.
 */
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { BlobClient, BlockBlobClient } from '@azure/storage-blob';
import { errorCodeOf, Problem, statusOf } from '../../errors.ts';
import { blobProperties, downloadedPieces, openDownload } from '../../storage/blob-reads.ts';
import { PendingBytes } from '../parse/pending-bytes.ts';

/** Maximum number of blocks of a blob. Source: Microsoft Learn, put-block. */
const MAX_BLOCKS = 50_000;
const BLOCK_BYTES = 8 * 1024 * 1024;

/** The blob calls that a copy needs. */
export type TargetBlob = Pick<BlockBlobClient, 'getBlockList' | 'stageBlock' | 'commitBlockList' | 'getProperties'>;

export interface Copy {
  source: BlobClient;
  target: TargetBlob;
  /** Maximum size of the source in bytes. */
  maxBytes: number;
  /** Metadata of the new blob. A repeat recognizes its own blob by `order`. */
  metadata: Record<string, string> & { order: string };
  /** Ends the copy between two blocks; a repeat continues after them. */
  signal?: AbortSignal | undefined;
  /** For tests. Defaults to 8 MiB, or to more if `maxBytes` requires it. */
  blockBytes?: number;
}

/**
 * Copies a blob. Blocks that an earlier attempt staged are not read again if the version of the source is unchanged.
 * @throws Problem 'source-unreadable', 'too-large' or 'conflict' (another blob has the name) for permanent failures; the
 * reason of `signal` when it aborts; errors of the service.
 */
export async function copyBlob(copy: Copy): Promise<void> {
  if (await isCopied(copy)) return;
  const { blocks, body } = await openAfter(copy, await stagedBlocks(copy.target));
  try {
    await stageRest(copy, blocks, downloadedPieces(body));
  } catch (error) {
    if (statusOf(error) === 412) throw unreadable('The source changed while it was copied.', error);
    throw error;
  } finally {
    body.destroy();
  }
  await commit(copy, blocks);
}

/** Creates the problem of a source that cannot be read, where a retry would not help. */
export const unreadable = (detail: string, cause?: unknown): Problem =>
  new Problem('source-unreadable', detail, { cause });

/** Consecutive blocks of one version of the source, from its beginning. */
interface Blocks {
  version: string;
  ids: string[];
  bytes: number;
}

const versionOf = (etag = ''): string => createHash('sha256').update(etag).digest('hex').slice(0, 16);
const blockId = (version: string, index: number): string =>
  Buffer.from(`${version}-${String(index).padStart(6, '0')}`).toString('base64');

/**
 * Returns the blocks of an earlier attempt except the last one. The last block is read again so that there is always
 * something left to request: the response shows the version of the source.
 */
async function stagedBlocks(target: TargetBlob): Promise<Blocks | undefined> {
  const sizes = new Map((await uncommitted(target)).map(({ name, size }) => [name, size]));
  const [first = ''] = sizes.keys();
  const [version = ''] = Buffer.from(first, 'base64').toString('latin1').split('-');
  const ids: string[] = [];
  for (let id = blockId(version, 0); sizes.has(id); id = blockId(version, ids.length)) ids.push(id);
  ids.pop();
  if (ids.length === 0) return undefined;
  return { version, ids, bytes: ids.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0) };
}

/** Returns the number of bytes that an unfinished copy has stored. */
export const copiedBytes = async (target: Pick<TargetBlob, 'getBlockList'>): Promise<number> =>
  (await uncommitted(target)).reduce((sum, { size }) => sum + size, 0);

async function uncommitted(target: Pick<TargetBlob, 'getBlockList'>): Promise<{ name: string; size: number }[]> {
  try {
    return (await target.getBlockList('uncommitted')).uncommittedBlocks ?? [];
  } catch (error) {
    if (statusOf(error) === 404) return [];
    throw error;
  }
}

/** Opens the source after the staged blocks if its version is unchanged, otherwise at its beginning. */
async function openAfter(
  copy: Copy,
  staged: Blocks = { version: '', ids: [], bytes: 0 },
): Promise<{ blocks: Blocks; body: Readable }> {
  const { etag, bytes, body } = await open(copy, staged.bytes);
  const version = versionOf(etag);
  const isOther = staged.bytes > 0 && version !== staged.version;
  const isTooLarge = !isOther && staged.bytes + bytes > copy.maxBytes;
  if (isOther || isTooLarge) body.destroy();
  if (isTooLarge)
    throw new Problem(
      'too-large',
      `The source is over ${copy.maxBytes} bytes, the limit for files of the inbox (SLUICE_MAX_INBOX_BYTES).`,
    );
  return isOther ? openAfter(copy) : { blocks: { ...staged, version }, body };
}

/** Opens the source at an offset, or at its beginning if it has become shorter. */
async function open(copy: Copy, offset: number): ReturnType<typeof openDownload> {
  const { source, signal } = copy;
  try {
    return await openDownload(source, { offset, signal });
  } catch (error) {
    const status = statusOf(error);
    if (status === 416 && offset > 0) return open(copy, 0);
    const { containerName, name } = source;
    if (status === 404) throw unreadable(`There is no blob "${name}" in container "${containerName}".`, error);
    if (status === 409) throw unreadable(`${containerName}/${name} cannot be read: ${errorCodeOf(error)}.`, error);
    throw error;
  }
}

/** Stages the content as blocks; `blocks` grows with each stored block. */
async function stageRest(copy: Copy, blocks: Blocks, body: AsyncIterable<Uint8Array>): Promise<void> {
  const { maxBytes, signal, blockBytes = Math.max(BLOCK_BYTES, Math.ceil(maxBytes / MAX_BLOCKS)) } = copy;
  const held = new PendingBytes();
  const stage = async (): Promise<void> => {
    const id = blockId(blocks.version, blocks.ids.length);
    const block = held.take();
    await copy.target.stageBlock(id, block, block.length, signal === undefined ? {} : { abortSignal: signal });
    blocks.ids.push(id);
  };
  for await (const piece of body) {
    held.push(piece);
    if (held.size >= blockBytes) await stage();
    signal?.throwIfAborted();
  }
  if (held.size > 0) await stage();
}

/** Makes the blob visible. If a blob with its name exists, the blob of an earlier attempt is accepted. */
async function commit({ target, metadata }: Copy, { ids }: Blocks): Promise<void> {
  try {
    await target.commitBlockList(ids, { conditions: { ifNoneMatch: '*' }, metadata });
  } catch (error) {
    if (![409, 412].includes(statusOf(error) ?? 0)) throw error;
    if (!(await isCopied({ target, metadata }))) throw error;
  }
}

/**
 * Checks whether an earlier attempt created the blob but did not remove its order.
 * @throws Problem 'conflict' when another blob has the name.
 */
async function isCopied({ target, metadata }: Pick<Copy, 'target' | 'metadata'>): Promise<boolean> {
  const found = await blobProperties(target);
  if (found === undefined) return false;
  if (found.metadata?.order === metadata.order) return true;
  throw new Problem('conflict', 'The inbox has another file of this name.');
}
