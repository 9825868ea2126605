import type { BlockBlobClient, BlockBlobUploadOptions } from '@azure/storage-blob';
import { statusOf } from '../../errors.ts';

const CREATE_ONLY = { ifNoneMatch: '*' };
/** RFC 8878, section 5.2. */
const CONTENT_TYPE = 'application/zstd';

/** The blob calls that writing a payload needs. */
export type PayloadBlob = Pick<BlockBlobClient, 'upload' | 'stageBlock' | 'commitBlockList' | 'getProperties'>;

/** Blocks that are staged and not committed yet: the beginning of a blob. */
export interface StagedBlocks {
  /** In the order of their bytes. */
  blockIds: string[];
  bytes: number;
}

/** How a blob is written. */
export interface BlockUploadOptions {
  /** A block is staged when it has grown to this. */
  blockBytes: number;
  signal?: AbortSignal | undefined;
  /** Begins each block id; 16 hex digits, as all ids of a blob have one length. Random where several attempts may write. */
  attempt: string;
  /** What an earlier attempt has staged. */
  resume?: StagedBlocks | undefined;
}

/** A blob written in order: appended bytes are staged as blocks of some size, or put at once if they stay below it. */
export class BlockUpload {
  /** Bytes appended so far. */
  size: number;
  readonly #blob: PayloadBlob;
  readonly #blockBytes: number;
  readonly #signal: AbortSignal | undefined;
  readonly #attempt: string;
  readonly #blockIds: string[];
  #parts: Buffer[] = [];
  #partBytes = 0;
  #staging: Promise<unknown> = Promise.resolve();

  constructor(blob: PayloadBlob, { blockBytes, signal, attempt, resume }: BlockUploadOptions) {
    this.#blob = blob;
    this.#blockBytes = blockBytes;
    this.#signal = signal;
    this.#attempt = attempt;
    this.#blockIds = [...(resume?.blockIds ?? [])];
    this.size = resume?.bytes ?? 0;
  }

  /** Adds bytes; waits only while the block before the full one is still on its way. */
  async append(bytes: Buffer): Promise<void> {
    this.#parts.push(bytes);
    this.#partBytes += bytes.length;
    this.size += bytes.length;
    if (this.#partBytes >= this.#blockBytes) await this.#stage();
  }

  /** Stages all that was appended, and gives what an attempt needs to go on from here. */
  async stageAll(): Promise<StagedBlocks> {
    if (this.#partBytes > 0) await this.#stage();
    await this.#staging;
    return { blockIds: [...this.#blockIds], bytes: this.size };
  }

  /**
   * Makes the blob visible, unless there is one of that name. `digest` stands for the whole content: by it a repeat by
   * the SDK is recognised, whose first try was stored but whose answer was lost.
   */
  async finish(digest: string): Promise<void> {
    try {
      await this.#publish({ ...this.#abort, conditions: CREATE_ONLY, metadata: { digest }, ...HEADERS });
    } catch (error) {
      if (![409, 412].includes(statusOf(error) ?? 0) || !(await this.#isOurs(digest))) throw error;
    }
  }

  async #publish(options: BlockBlobUploadOptions): Promise<void> {
    if (this.#blockIds.length === 0) {
      const body = this.#take();
      await this.#blob.upload(body, body.length, options);
      return;
    }
    const { blockIds } = await this.stageAll();
    await this.#blob.commitBlockList(blockIds, options);
  }

  /** Resolves when no call is under way any more; never rejects. */
  async whenIdle(): Promise<void> {
    await this.#staging.catch(() => {});
  }

  async #stage(): Promise<void> {
    await this.#staging;
    const body = this.#take();
    const position = String(this.#blockIds.length).padStart(6, '0');
    const id = Buffer.from(`${this.#attempt}${position}`).toString('base64');
    this.#blockIds.push(id);
    this.#staging = this.#blob.stageBlock(id, body, body.length, this.#abort);
    this.#staging.catch(() => {}); // Awaited at the next block; until then its failure must not count as unhandled.
  }

  async #isOurs(digest: string): Promise<boolean> {
    const { contentLength, metadata } = await this.#blob.getProperties(this.#abort);
    return contentLength === this.size && metadata?.digest === digest;
  }

  get #abort(): { abortSignal?: AbortSignal } {
    return this.#signal === undefined ? {} : { abortSignal: this.#signal };
  }

  #take(): Buffer {
    const body = Buffer.concat(this.#parts, this.#partBytes);
    this.#parts = [];
    this.#partBytes = 0;
    return body;
  }
}

const HEADERS = { blobHTTPHeaders: { blobContentType: CONTENT_TYPE } };
