/** Reads and validates the beginning of an upload, and stores nothing: what `sluice try` and the route `try` answer with. */

import type { UploadEncoding, UploadFormat } from '../../contract/upload-kinds.ts';
import { batchSpending } from '../../cost/batch-operations.ts';
import type { DurableBackend } from '../../cost/durable-backend.ts';
import { receipt } from '../../cost/receipt.ts';
import type { PriceSheet } from '../../cost/sheet.ts';
import { Problem, type UploadPosition } from '../../errors.ts';
import type { Workload } from '../../workload/define.ts';
import { itemSchemaOf } from '../../workload/item-schema.ts';
import type { UploadLimits } from '../limits.ts';
import type { CsvOptions, CsvReading } from '../parse/csv/csv-options.ts';
import { readUpload } from '../read-upload.ts';
import { type CheckCause, createItemCheck } from './check-items.ts';

/** What is to be checked, and when to stop. */
export interface CheckRequest {
  workload: Workload;
  body: AsyncIterable<Uint8Array>;
  format: UploadFormat;
  encoding: UploadEncoding;
  csv?: CsvOptions | undefined;
  limits: UploadLimits;
  /** Items to validate; default: all. */
  maxItems?: number;
  /** Bytes of the body to read, as received; default: all. */
  maxBytes?: number;
  /** Bytes of the body to count records in for the estimate, beyond those to validate; default none. */
  estimateBytes?: number;
  /** Ends the check with what has been read when it aborts. */
  signal?: AbortSignal;
  /** Bytes of the whole body, where they are known: then the whole is estimated. */
  size?: number | undefined;
  prices?: PriceSheet;
  /** Default azureStorage. */
  backend?: DurableBackend;
}

/** The whole upload: exact if all of it was read, else in proportion to its bytes. */
export interface UploadEstimate {
  items: number;
  chunks: number;
  /** Where no lane is named. */
  lane: string;
  /** Storage operations of one batch, those of its drain included. */
  operations: number;
  /** Storage operations, Service Bus and durable actions of one batch by the price sheet; without handler time. */
  usd: number;
  sheet: string;
  /** Of the sheet. */
  currency: string;
  /** Price classes in `usd` that have no verified source. */
  unverified: string[];
}

/** What an upload is understood as, and how far its items fit the schema. */
export interface UploadCheck {
  format: UploadFormat;
  encoding: UploadEncoding;
  /** Of a CSV upload whose header was read. */
  csv?: CsvReading;
  /** Items read and validated. */
  items: number;
  /** Bytes of the body read, as received. */
  bytes: number;
  /** Whether that is the whole upload. */
  whole: boolean;
  valid: number;
  invalid: number;
  /** The most frequent first. */
  causes: CheckCause[];
  /** Why the upload would be refused: it cannot be read any further. */
  fault?: UploadPosition;
  estimate?: UploadEstimate;
}

/** Small, so that no more is read than asked for, and a fault hides few of the records before it. */
const CHUNK = { maxItems: 100, maxBytes: 256 * 1024, givesRest: true };

/** The body is not read any further. */
class StoppedError extends Error {
  override name = 'StoppedError';
}

/**
 * Parses and validates an upload up to the given bounds. What is wrong with the upload is `fault`, with what was read
 * before it. An error of the body itself comes out unchanged.
 */
export async function checkUpload(request: CheckRequest): Promise<UploadCheck> {
  const { workload, format, encoding, csv, limits, maxItems = Number.POSITIVE_INFINITY, estimateBytes = 0 } = request;
  const check = createItemCheck(workload, format);
  const body = new CountedBody(request);
  const schema = itemSchemaOf(workload);
  const upload = readUpload({ body: body.pieces(), format, encoding, csv, limits, schema, chunk: CHUNK });
  const checked = (): number => check.valid + check.invalid;
  const stopped = stopOf(request.signal);
  let seen = 0;
  let ended = false;
  let fault: UploadPosition | undefined;
  let lastLine = 1;
  try {
    for await (const chunk of upload.chunks) {
      seen += chunk.items;
      await Promise.race([check.add(chunk, Math.max(0, maxItems - checked())), stopped]);
      lastLine = chunk.firstLine;
      if (checked() >= maxItems && body.read >= estimateBytes) body.stop();
      if (request.signal?.aborted) throw new StoppedError();
    }
    ended = true;
  } catch (error) {
    if (error instanceof Problem) fault = seen > checked() ? undefined : positionOf(error, lastLine);
    else if (!(error instanceof StoppedError)) throw error;
  }
  const whole = ended && seen === checked();
  const reading = upload.csv();
  const estimate = fault ? undefined : estimateOf(request, { items: seen, bytes: body.read, ended });
  return {
    format,
    encoding,
    ...(reading === undefined ? {} : { csv: reading }),
    ...{ items: checked(), bytes: body.read, whole },
    ...{ valid: check.valid, invalid: check.invalid, causes: check.causes() },
    ...(fault === undefined ? {} : { fault }),
    ...(estimate === undefined ? {} : { estimate }),
  };
}

/** Rejects when the signal aborts: a schema may wait for what never comes. */
function stopOf(signal: AbortSignal | undefined): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined); // It may come when nobody waits for it any more.
  signal?.addEventListener('abort', () => reject(new StoppedError()), { once: true });
  return promise;
}

/**
 * Counts what is read of a body, and ends it by an error where reading is to stop: then a record that is cut in two is no
 * fault. What has been read by then is still counted, or the whole could not be estimated.
 */
class CountedBody {
  read = 0;
  readonly #request: CheckRequest;
  #isStopped = false;

  constructor(request: CheckRequest) {
    this.#request = request;
  }

  /** Reads no further. */
  stop(): void {
    this.#isStopped = true;
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    const { body, maxBytes = Number.POSITIVE_INFINITY, signal } = this.#request;
    for await (const piece of body) {
      if (this.read >= maxBytes) throw new StoppedError();
      this.read += piece.length;
      yield piece;
      // Not at the next piece, for which a slow client may have to be waited for.
      if (this.#isStopped || signal?.aborted) throw new StoppedError();
    }
  }
}

/** Not every problem of an upload has a place: a broken encoding has none, nor has an upload that is too large. */
const positionOf = ({ errors: [first], message }: Problem, line: number): UploadPosition =>
  first ?? { line, column: 1, message };

interface Read {
  items: number;
  bytes: number;
  ended: boolean;
}

function estimateOf(
  { workload, size, prices, backend = 'azureStorage' }: CheckRequest,
  read: Read,
): UploadEstimate | undefined {
  const share = read.ended ? 1 : size === undefined || read.bytes === 0 ? undefined : Math.max(1, size / read.bytes);
  if (share === undefined || prices === undefined || read.items === 0) return undefined;
  const items = Math.round(read.items * share);
  const { chunk, queuesPerLane: queues, secondsPerChunk } = workload;
  const shape = { items, itemsPerChunk: chunk.maxItems, queues, secondsPerChunk };
  const spent = { operations: batchSpending(shape), items, backend };
  const { totalUsd, sheet, storageOperations: operations, unverified } = receipt(spent, prices);
  const lane = workload.lane({ items, bytes: size ?? read.bytes });
  return {
    items,
    chunks: Math.ceil(items / chunk.maxItems),
    lane,
    operations,
    usd: Number(totalUsd.toFixed(9)),
    sheet,
    currency: prices.currency,
    unverified,
  };
}
