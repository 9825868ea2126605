/**
 * A producer and a consumer that are not Sluice, written from docs/contract/README.md alone, without its code. The consumer
 * knows only version 1.
 */
import { createHash } from 'node:crypto';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { BlobServiceClient } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';

type Json = Record<string, unknown>;

/** Escapes text that is not ASCII. */
const ascii = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/[\u0080-\uffff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
const sha256 = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

export interface Consumer {
  /** Processes an item. */
  handle: (item: Json) => Json;
  /** Publishes a wake event. */
  publish: (event: Json) => Promise<void>;
}

/** The operations of the foreign party on the account of `connection`. */
export class ForeignParty {
  readonly #blobs: BlobServiceClient;
  readonly #queues: QueueServiceClient;

  constructor(connection: string) {
    this.#blobs = BlobServiceClient.fromConnectionString(connection);
    this.#queues = QueueServiceClient.fromConnectionString(connection);
  }

  /** Puts a file into the inbox, and returns its ETag. */
  async drop(name: string, text: string): Promise<string> {
    const blob = this.#blobs.getContainerClient('inbox').getBlockBlobClient(name);
    return (await blob.upload(text, Buffer.byteLength(text))).etag ?? '';
  }

  /** Puts a message with any content. */
  async put(queue: string, message: unknown): Promise<void> {
    const client = this.#queues.getQueueClient(queue);
    await client.createIfNotExists();
    await client.sendMessage(typeof message === 'string' ? message : ascii(message), { messageTimeToLive: -1 });
  }

  /**
   * Receives messages, finishes up to `most` references of version 1 by `handle`, and gives how many. What it cannot
   * read is left. `publish` takes the body of the wake event.
   */
  async consume(queue: string, most: number, { handle, publish }: Consumer): Promise<number> {
    const client = this.#queues.getQueueClient(queue);
    const { receivedMessageItems } = await client.receiveMessages({ numberOfMessages: 32, visibilityTimeout: 60 });
    const ends: Json[] = [];
    const done: [string, string][] = [];
    for (const { messageId, popReceipt, messageText } of receivedMessageItems) {
      const reference = parse(messageText);
      if (reference?.v === 1 && ends.length < most) {
        ends.push(await this.#finish(reference, handle));
        done.push([messageId, popReceipt]);
      } else await client.updateMessage(messageId, popReceipt, undefined, 0);
    }
    if (ends.length === 0) return 0;
    const [workload = '', lane = ''] = queue.split('-');
    const results = `${workload}-results`;
    const at = new Date().toISOString();
    const message = { v: 1, workload, queue, chunks: ends, operations: {}, at };
    await this.put(results, message);
    const subject = { account: this.#blobs.accountName, pool: 'default', queue: results, workload, lane };
    const size = { items: ends.length, payloadBytes: ascii(message).length };
    await publish({ v: 1, type: 'QueueWorkDetected', ...subject, ...size, at });
    for (const [id, receipt] of done) await client.deleteMessage(id, receipt);
    return ends.length;
  }

  async #finish(reference: Json, handle: (item: Json) => Json): Promise<Json> {
    const { workload, batch, chunk, blob, offset, length } = reference as Record<string, string> & {
      offset: number;
      length: number;
    };
    const payload = this.#blobs.getContainerClient(String(reference.container)).getBlobClient(blob ?? '');
    const frame = await payload.downloadToBuffer(offset, length);
    const items = zstdDecompressSync(frame)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
    const results = items.map(handle);
    const first = frameOf(results.map(ascii));
    // The process that creates the report folds the results.
    const partial = frameOf([ascii({ failed: 'Not folded.' })]);
    // A skippable frame around the second one: magic number, length.
    const skippable = Buffer.alloc(8);
    skippable.writeUInt32LE(0x184d2a50, 0);
    skippable.writeUInt32LE(partial.bytes.length, 4);
    const counts = { items: items.length, succeeded: items.length, dead: 0, cancelled: 0, retried: 0 };
    const header = {
      ...{ v: 1, ending: 'processed', counts, handlerSeconds: 0.25 },
      results: { offset: 0, ...first.place },
      partial: { offset: first.bytes.length + 8, ...partial.place },
    };
    const body = Buffer.concat([first.bytes, skippable, partial.bytes]);
    // The date of a batch is in its id: UUIDv7.
    const date = new Date(Number.parseInt(String(batch).replace('-', '').slice(0, 12), 16)).toISOString().slice(0, 10);
    const name = `workload=${workload}/date=${date}/batch=${batch}/${chunk}.ndjson.zst`;
    const outcome = this.#blobs.getContainerClient('results').getBlockBlobClient(name);
    try {
      await outcome.upload(body, body.length, {
        conditions: { ifNoneMatch: '*' },
        metadata: { outcome: ascii(header) },
      });
      return { batch, chunk, header };
    } catch (error) {
      if ((error as { statusCode?: number }).statusCode !== 409) throw error;
      // Another consumer was faster: its outcome is the one to report.
      const { metadata } = await outcome.getProperties();
      return { batch, chunk, header: JSON.parse(metadata?.outcome ?? '') as Json };
    }
  }
}

function frameOf(lines: string[]) {
  const text = Buffer.from(`${lines.join('\n')}\n`);
  const bytes = zstdCompressSync(text);
  return { bytes, place: { length: bytes.length, bytes: text.length, items: lines.length, digest: sha256(bytes) } };
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
