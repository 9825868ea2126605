/** Reads and validates the beginning of an upload without storing anything, for `sluice try` and the route `try`. */

import type { UploadEncoding, UploadFormat } from '../../contract/upload-kinds.ts';
import { Problem, type UploadPosition } from '../../errors.ts';
import { itemSchemaOf } from '../../workload/item-schema.ts';
import type { UploadLimits } from '../limits.ts';
import type { CsvOptions } from '../parse/csv-options.ts';
import { readUpload } from '../read-upload.ts';
import { ItemCheck } from './check-items.ts';
import { type EstimateOptions, estimateUpload } from './estimate-upload.ts';

export interface CheckRequest extends EstimateOptions {
  body: AsyncIterable<Uint8Array>;
  format: UploadFormat;
  encoding: UploadEncoding;
  csv?: CsvOptions | undefined;
  limits: UploadLimits;
  /** Number of items to validate. Default: all. */
  maxItems?: number;
  /** Number of bytes of the body to read, as received. Default: all. */
  maxBytes?: number;
  /** Bytes of the body in which records are counted for the estimate after validation stopped. Default: none. */
  estimateBytes?: number;
  /** When it aborts, the check ends with what has been read. */
  signal?: AbortSignal;
}

/** How an upload is read, and how many of its items match the schema; http/batches/upload/schemas.ts has the fields. */
export type UploadCheck = Awaited<ReturnType<typeof checkUpload>>;

/** Small, so that little more is read than requested, and a fault hides few of the records before it. */
const CHUNK = { maxItems: 100, maxBytes: 256 * 1024, givesRest: true };

class StoppedError extends Error {
  override name = 'StoppedError';
}

/**
 * Parses and validates an upload up to the given bounds. A problem of the upload is returned as `fault`, with the results
 * up to it. An error of the body itself is rethrown unchanged.
 */
export async function checkUpload(request: CheckRequest) {
  const { workload, format, encoding, csv, limits, maxItems = Number.POSITIVE_INFINITY, estimateBytes = 0 } = request;
  const check = new ItemCheck(workload);
  const body = countBody(request);
  const schema = itemSchemaOf(workload);
  const upload = readUpload({ body: body.pieces, format, encoding, csv, limits, schema, chunk: CHUNK });
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
      if (checked() >= maxItems && body.read >= estimateBytes) body.isStopped = true;
      if (request.signal?.aborted) throw new StoppedError();
    }
    ended = true;
  } catch (error) {
    if (error instanceof Problem) fault = seen > checked() ? undefined : positionOf(error, lastLine);
    else if (!(error instanceof StoppedError)) throw error;
  }
  const whole = ended && seen === checked();
  const reading = upload.csv();
  const estimate = fault ? undefined : estimateUpload(request, { items: seen, bytes: body.read, ended });
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

/** Returns a promise that rejects when the signal aborts, because the promise of the schema may stay pending. */
function stopOf(signal: AbortSignal | undefined): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined); // It may reject after the check has ended.
  signal?.addEventListener('abort', () => reject(new StoppedError()), { once: true });
  return promise;
}

/**
 * Counts what is read of a body. To stop, it throws an error, so that a record that is cut in two does not count as a
 * fault. What was read by then is counted before it throws; otherwise the whole could not be estimated.
 */
function countBody({ body, maxBytes = Number.POSITIVE_INFINITY, signal }: CheckRequest) {
  const counted = { read: 0, isStopped: false, pieces: pieces() };
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for await (const piece of body) {
      if (counted.read >= maxBytes) throw new StoppedError();
      counted.read += piece.length;
      yield piece;
      // Stop here, not at the next piece: a slow client may take long to send it.
      if (counted.isStopped || signal?.aborted) throw new StoppedError();
    }
  }
  return counted;
}

/** Returns the place of a problem. Some problems have none: a damaged encoding, or an upload that is too large. */
const positionOf = ({ errors: [first], message }: Problem, line: number): UploadPosition =>
  first ?? { line, column: 1, message };
