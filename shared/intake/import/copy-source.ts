/**
 * Copies a source into a blob, block by block. The blocks stay uncommitted until the copy is complete. Their ids contain
 * the version of the source and their position, so nothing else is needed to resume after a crash.
 */
import { createHash } from 'node:crypto';
import type { BlockBlobClient } from '@azure/storage-blob';
import { Problem, statusOf } from '../../errors.ts';
import { blobProperties } from '../../storage/blob-reads.ts';
import { PendingBytes } from '../parse/pending-bytes.ts';
import { type OpenedSource, type OpenSource, SourceChangedError, unreadable } from './source.ts';

/** Maximum number of blocks of a blob. Source: Microsoft Learn, put-block. */
const MAX_BLOCKS = 50_000;
const BLOCK_BYTES = 8 * 1024 * 1024;
/** Maximum number of consecutive resumes that stored no new block. */
const MAX_RESUMES = 4;

/** The blob calls that a copy needs. */
export type TargetBlob = Pick<BlockBlobClient, 'getBlockList' | 'stageBlock' | 'commitBlockList' | 'getProperties'>;

export interface Copy {
  open: OpenSource;
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
 * Copies a source. Blocks that an earlier attempt staged are not read again if the version of the source is unchanged.
 * @throws Problem 'source-unreadable', 'too-large' or 'conflict' (another blob has the name) for permanent failures, 'busy'
 * for transient ones; the reason of `signal` when it aborts.
 */
export async function copySource(copy: Copy): Promise<void> {
  if (await isCopied(copy)) return;
  const staged = await stagedBlocks(copy.target);
  const blocks = await readBlocks(copy, staged);
  await commit(copy, blocks);
}

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

async function readBlocks(copy: Copy, staged: Blocks | undefined): Promise<Blocks> {
  const first = await openFirst(copy, staged);
  const { etag } = first.source;
  const { blocks } = first;
  let { source } = first;
  for (let resumes = 0; ; ) {
    const before = blocks.bytes;
    try {
      await readToEnd(copy, source, blocks);
      return blocks;
    } catch (error) {
      if (!(error instanceof Problem && error.type === 'busy') || etag === undefined) throw error;
      resumes = blocks.bytes > before ? 0 : resumes + 1;
      if (resumes > MAX_RESUMES) throw error;
    } finally {
      source.close();
    }
    source = await openAgain(copy, { offset: blocks.bytes, etag });
  }
}

/** Opens the source after the staged blocks if its version is unchanged, otherwise at its beginning. */
async function openFirst({ open, signal }: Copy, staged: Blocks | undefined) {
  if (staged) {
    try {
      const source = await open({ offset: staged.bytes }, signal);
      const isSame = source.etag !== undefined && versionOf(source.etag) === staged.version;
      if (isSame && source.offset === staged.bytes) return { source, blocks: staged };
      source.close();
    } catch (error) {
      if (!(error instanceof SourceChangedError)) throw error;
    }
  }
  const source = await open({ offset: 0 }, signal);
  return { source, blocks: { version: versionOf(source.etag), ids: [], bytes: 0 } satisfies Blocks };
}

/** Opens the source again to resume. A source that ignores ranges cannot be resumed: the next attempt copies it again. */
async function openAgain({ open, signal }: Copy, place: { offset: number; etag: string }): Promise<OpenedSource> {
  try {
    const source = await open(place, signal);
    if (source.offset === place.offset) return source;
    source.close();
    throw new Problem('busy', 'The connection to the source was lost, and the source does not support ranges.');
  } catch (error) {
    if (error instanceof SourceChangedError) throw unreadable('The source changed while it was copied.', error);
    throw error;
  }
}

/** Stages the content as blocks; `blocks` grows with each stored block. */
async function readToEnd(copy: Copy, source: OpenedSource, blocks: Blocks): Promise<void> {
  const { maxBytes, signal } = copy;
  const blockBytes = copy.blockBytes ?? Math.max(BLOCK_BYTES, Math.ceil(maxBytes / MAX_BLOCKS));
  if ((source.bytes ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const held = new PendingBytes();
  const stage = async (): Promise<void> => {
    const id = blockId(blocks.version, blocks.ids.length);
    const block = held.take();
    await copy.target.stageBlock(id, block, block.length, signal === undefined ? {} : { abortSignal: signal });
    blocks.ids.push(id);
    blocks.bytes += block.length;
  };
  for await (const piece of source.body) {
    held.push(piece);
    if (blocks.bytes + held.size > maxBytes) throw tooLarge(maxBytes);
    if (held.size >= blockBytes) await stage();
    signal?.throwIfAborted();
  }
  if (source.bytes !== undefined && blocks.bytes + held.size !== source.bytes)
    throw new Problem('busy', `The source ended after ${blocks.bytes + held.size} of ${source.bytes} bytes.`);
  if (held.size > 0) await stage();
}

const tooLarge = (maxBytes: number): Problem =>
  new Problem(
    'too-large',
    `The source is over ${maxBytes} bytes, the limit for files of the inbox (SLUICE_MAX_INBOX_BYTES).`,
  );

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
