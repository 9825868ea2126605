/**
 * Decodes an upload's Content-Encoding while it arrives. Node's decoders stop without an error before bytes that they do
 * not understand, so the number of bytes fed is compared with the number consumed; zstd data is split into frames first.
 */
import { pipeline } from 'node:stream/promises';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import type { UploadEncoding } from '../../contract/upload-kinds.ts';
import { Problem } from '../../errors.ts';
import { bodyTooLarge, requirePerByte, type UploadLimits, uploadTooLarge } from '../limits.ts';
import { zstdFrames } from './zstd-frames.ts';

const KiB = 1024;
/** Maximum size of a piece, which also bounds what is decoded or parsed from one piece. */
const PIECE_BYTES = 256 * KiB;
/** RFC 9659 limits the window to 8 MiB for HTTP. `zstd --ultra` and `--long` create larger windows. */
const ZSTD_WINDOW_LOG = 23;
/** Output buffer of a whole piece: with 64 KiB, calls to the thread pool cost the main thread 0.1 s more per 180 MB. */
const OUTPUT = { chunkSize: PIECE_BYTES };

type Decoder = ReturnType<typeof createGunzip>;

export interface DecodeOptions {
  encoding: UploadEncoding;
  limits: Pick<UploadLimits, 'maxBodyBytes' | 'maxDecodedBytes'>;
  /** Counts the bytes of the body as they are read, from those that an earlier attempt has read. Default 0. */
  received?: { bytes: number };
}

/**
 * Returns the decoded bytes of an upload, in pieces of at most 256 KiB. Several gzip members or zstd frames are joined;
 * `deflate` is accepted with and without the zlib wrapper, because senders use both. An empty body decodes to an empty
 * upload.
 * @throws Problem 'malformed-encoding' if the body is damaged, truncated or followed by other data; 'too-large' as soon as
 * a limit is exceeded. An error of `body` itself (a client that disconnected) is rethrown unchanged.
 */
export async function* decodeUpload(body: AsyncIterable<Uint8Array>, options: DecodeOptions): AsyncGenerator<Buffer> {
  const { encoding, limits, received = { bytes: 0 } } = options;
  let total = received.bytes;
  for await (const piece of decoded(countedPieces(body, received, limits.maxBodyBytes), encoding)) {
    total += piece.length;
    if (total > limits.maxDecodedBytes)
      throw uploadTooLarge(`The decoded body is over ${limits.maxDecodedBytes} bytes.`, 'SLUICE_MAX_DECODED_BYTES');
    requirePerByte(total, received.bytes, 'decoded bytes');
    yield piece;
  }
}

async function* countedPieces(
  body: AsyncIterable<Uint8Array>,
  received: { bytes: number },
  maxBytes: number,
): AsyncGenerator<Buffer> {
  for await (const piece of body) {
    for (let start = 0; start < piece.length; start += PIECE_BYTES) {
      const end = Math.min(start + PIECE_BYTES, piece.length);
      received.bytes += end - start;
      if (received.bytes > maxBytes) throw bodyTooLarge(maxBytes);
      yield Buffer.from(piece.buffer, piece.byteOffset + start, end - start);
    }
  }
}

async function* decoded(source: AsyncGenerator<Buffer>, encoding: UploadEncoding): AsyncGenerator<Buffer> {
  if (encoding === 'identity') return yield* source;
  const first = await source.next();
  if (first.done) return;
  yield* throughDecoder(preceded(first.value, source), { encoding, decoder: createDecoder(encoding, first.value) });
}

async function* preceded(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

function createDecoder(encoding: Exclude<UploadEncoding, 'identity'>, first: Buffer): Decoder {
  switch (encoding) {
    case 'gzip':
      return createGunzip(OUTPUT);
    case 'deflate':
      return isZlib(first) ? createInflate(OUTPUT) : createInflateRaw(OUTPUT);
    case 'br':
      return createBrotliDecompress(OUTPUT);
    case 'zstd':
      return createZstdDecompress({ ...OUTPUT, params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } });
    default:
      return encoding satisfies never;
  }
}

/** The low half of a zlib stream's first byte is the method, 8. In raw deflate it would be padding that is not zero. */
const isZlib = (first: Buffer): boolean => ((first[0] ?? 0) & 0x0f) === 8;

async function* throughDecoder(
  source: AsyncIterable<Buffer>,
  { encoding, decoder }: { encoding: UploadEncoding; decoder: Decoder },
): AsyncGenerator<Buffer> {
  let fedBytes = 0;
  // An error of the source must be rethrown unchanged, while an error of the decoder is the client's fault.
  const failures: unknown[] = [];
  async function* input(): AsyncGenerator<Buffer> {
    try {
      for await (const piece of encoding === 'zstd' ? zstdFrames(source) : source) {
        fedBytes += piece.length;
        yield piece;
      }
    } catch (error) {
      failures.push(error);
      throw error;
    }
  }
  pipeline(input(), decoder).catch(() => {}); // The loop below throws the same error.
  try {
    yield* decoder as AsyncIterable<Buffer>;
  } catch (error) {
    throw failures.length > 0 ? failures[0] : toProblem(encoding, error);
  }
  if (decoder.bytesWritten !== fedBytes)
    throw new Problem('malformed-encoding', `There is other data after the end of the ${encoding} data.`);
}

function toProblem(encoding: UploadEncoding, cause: unknown): Problem {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (code === 'ZSTD_error_frameParameter_windowTooLarge')
    return new Problem(
      'too-large',
      'The zstd data needs a window over 8 MiB (RFC 9659): compress it without --ultra and --long.',
    );
  return new Problem('malformed-encoding', `The body is not ${encoding}, is damaged or ends too early.`, { cause });
}
