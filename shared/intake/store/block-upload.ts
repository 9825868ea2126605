import type { BlockBlobClient } from '@azure/storage-blob';
import { statusOf } from '../../errors.ts';

/** RFC 8878, section 5.2. */
const HEADERS = { blobHTTPHeaders: { blobContentType: 'application/zstd' } };

/** The blob calls that are needed to write a payload. */
export type PayloadBlob = Pick<BlockBlobClient, 'upload' | 'stageBlock' | 'commitBlockList' | 'getProperties'>;

/** Blocks that are staged but not committed: the beginning of a blob. */
export interface StagedBlocks {
  /** In the order of their content. */
  blockIds: string[];
  bytes: number;
}

export interface BlockUploadOptions {
  /** A block is staged when it reaches this size. */
  blockBytes: number;
  /** Prefix of each block id: 16 hex digits, since all ids of a blob have one length. Random for several attempts. */
  attempt: string;
  resume?: StagedBlocks | undefined;
}

/** Writes a blob in order: as staged blocks, or with one call if it is smaller than a block. */
export class BlockUpload {
  size: number;
  readonly #blob: PayloadBlob;
  readonly #blockBytes: number;
  readonly #attempt: string;
  readonly #blockIds: string[];
  #parts: Buffer[] = [];
  #partBytes = 0;
  #staging: Promise<unknown> = Promise.resolve();

  constructor(blob: PayloadBlob, { blockBytes, attempt, resume }: BlockUploadOptions) {
    this.#blob = blob;
    this.#blockBytes = blockBytes;
    this.#attempt = attempt;
    this.#blockIds = [...(resume?.blockIds ?? [])];
    this.size = resume?.bytes ?? 0;
  }

  /** Appends bytes. Waits only while the previous block is still being staged. */
  async append(bytes: Buffer): Promise<void> {
    this.#parts.push(bytes);
    this.#partBytes += bytes.length;
    this.size += bytes.length;
    if (this.#partBytes >= this.#blockBytes) await this.#stage();
  }

  /** Stages everything that was appended, and returns what another attempt needs to continue from here. */
  async stageAll(): Promise<StagedBlocks> {
    if (this.#partBytes > 0) await this.#stage();
    await this.#staging;
    return { blockIds: [...this.#blockIds], bytes: this.size };
  }

  /**
   * Makes the blob visible, unless a blob of that name exists. `digest` identifies the whole content: it detects a retry by
   * the SDK after a try that was stored but whose response was lost.
   */
  async commit(digest: string): Promise<void> {
    const options = { conditions: { ifNoneMatch: '*' }, metadata: { digest }, ...HEADERS };
    try {
      if (this.#blockIds.length > 0) await this.#blob.commitBlockList((await this.stageAll()).blockIds, options);
      else await this.#blob.upload(this.#take(), this.size, options);
    } catch (error) {
      if (![409, 412].includes(statusOf(error) ?? 0) || !(await this.#isOurs(digest))) throw error;
    }
  }

  /** Resolves when no call is in progress; never rejects. */
  async whenIdle(): Promise<void> {
    await this.#staging.catch(() => {});
  }

  async #stage(): Promise<void> {
    await this.#staging;
    const body = this.#take();
    const position = String(this.#blockIds.length).padStart(6, '0');
    const id = Buffer.from(`${this.#attempt}${position}`).toString('base64');
    this.#blockIds.push(id);
    this.#staging = this.#blob.stageBlock(id, body, body.length);
    this.#staging.catch(() => {}); // Awaited with the next block. Until then, a rejection must not count as unhandled.
  }

  async #isOurs(digest: string): Promise<boolean> {
    const { contentLength, metadata } = await this.#blob.getProperties();
    return contentLength === this.size && metadata?.digest === digest;
  }

  #take(): Buffer {
    const body = Buffer.concat(this.#parts, this.#partBytes);
    this.#parts = [];
    this.#partBytes = 0;
    return body;
  }
}
