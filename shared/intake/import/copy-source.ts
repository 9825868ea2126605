/**
 * Copies a source into a blob, block by block. The blocks stay uncommitted until the copy is whole; their ids name the
 * version of the source and their place, so after a crash they are all that is needed to go on.
 */
import { createHash } from 'node:crypto';
import type { BlockBlobClient } from '@azure/storage-blob';
import { Problem, statusOf } from '../../errors.ts';
import { blobProperties } from '../../storage/blob-reads.ts';
import { PendingBytes } from '../parse/pending-bytes.ts';
import { type OpenedSource, type OpenSource, SourceChangedError, unreadable } from './source.ts';

/** Most blocks of a blob (learn: put-block). */
const MAX_BLOCKS = 50_000;
const BLOCK_BYTES = 8 * 1024 * 1024;
/** Most resumes of a body that breaks off again and again without a new block. */
const MAX_RESUMES = 4;

/** The blob calls that a copy needs. */
export type TargetBlob = Pick<BlockBlobClient, 'getBlockList' | 'stageBlock' | 'commitBlockList' | 'getProperties'>;

export interface Copy {
  open: OpenSource;
  target: TargetBlob;
  /** Most bytes of the source. */
  maxBytes: number;
  /** Metadata of the new blob; a repeat recognizes its own blob by `order`. */
  metadata: Record<string, string> & { order: string };
  /** Ends the copy between two blocks; a repeat goes on behind them. */
  signal?: AbortSignal | undefined;
  /** For tests; default 8 MiB, or more where `maxBytes` takes it. */
  blockBytes?: number;
}

/**
 * Copies a source; blocks that an earlier try has staged are not read again, if the source is still of the same version.
 * @throws Problem 'source-unreadable', 'too-large' or 'conflict' (another blob has the name) for what will not change, 'busy'
 * for what may pass; the reason of `signal` when it is aborted.
 */
export async function copySource(copy: Copy): Promise<void> {
  if (await isCopied(copy)) return;
  const staged = await stagedBlocks(copy.target);
  const blocks = await readBlocks(copy, staged);
  await commit(copy, blocks);
}

/** Blocks of one version of the source, in their order and without a gap. */
interface Blocks {
  version: string;
  ids: string[];
  bytes: number;
}

const versionOf = (etag = ''): string => createHash('sha256').update(etag).digest('hex').slice(0, 16);
const blockId = (version: string, index: number): string =>
  Buffer.from(`${version}-${String(index).padStart(6, '0')}`).toString('base64');

/**
 * The blocks of an earlier try, but for the last: it is read again, so that there is always something left to be asked for,
 * and the answer names the version of the source.
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

/** Bytes of a copy that is under way, as far as they are stored. */
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

/** Behind the staged blocks if the source is still what they were read from, else at its beginning. */
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

/** A source that ignores ranges cannot go on: the next try begins anew. */
async function openAgain({ open, signal }: Copy, place: { offset: number; etag: string }): Promise<OpenedSource> {
  try {
    const source = await open(place, signal);
    if (source.offset === place.offset) return source;
    source.close();
    throw new Problem('busy', 'The source broke off, and does not answer with ranges.');
  } catch (error) {
    if (error instanceof SourceChangedError) throw unreadable('The source has changed while it was copied.', error);
    throw error;
  }
}

/** Stages what comes; `blocks` grows with each block that is stored. */
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
    throw new Problem('busy', `The source broke off after ${blocks.bytes + held.size} of ${source.bytes} bytes.`);
  if (held.size > 0) await stage();
}

const tooLarge = (maxBytes: number): Problem =>
  new Problem(
    'too-large',
    `The source is over ${maxBytes} bytes, the limit SLUICE_MAX_INBOX_BYTES of a file in the inbox.`,
  );

/** Makes the blob visible, unless there is one of its name: the one of an earlier try is as good. */
async function commit({ target, metadata }: Copy, { ids }: Blocks): Promise<void> {
  try {
    await target.commitBlockList(ids, { conditions: { ifNoneMatch: '*' }, metadata });
  } catch (error) {
    if (![409, 412].includes(statusOf(error) ?? 0)) throw error;
    if (!(await isCopied({ target, metadata }))) throw error;
  }
}

/**
 * Whether an earlier try has made the blob, which ended before its order was removed.
 * @throws Problem 'conflict' when another blob has the name.
 */
async function isCopied({ target, metadata }: Pick<Copy, 'target' | 'metadata'>): Promise<boolean> {
  const found = await blobProperties(target);
  if (found === undefined) return false;
  if (found.metadata?.order === metadata.order) return true;
  throw new Problem('conflict', 'The inbox has another file of this name.');
}
