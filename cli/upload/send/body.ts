import { type Readable, Transform } from 'node:stream';
import { createZstdCompress } from 'node:zlib';
import type { Upload } from './send.ts';

/** The progress of an upload in bytes: read from the source, its size if known, and sent. */
export interface UploadProgress {
  read: number;
  size: number | undefined;
  sent: number;
  /** Whether all bytes are sent, as far as this process knows: the app may accept the upload. */
  isWhole: boolean;
}

/** Creates the progress of an upload that has not begun. */
export const newProgress = (size: number | undefined): UploadProgress => ({ read: 0, size, sent: 0, isWhole: false });

/** The upload is larger than a request may be. */
export class OverHttpLimit extends Error {
  override name = 'OverHttpLimit';
}

/**
 * Returns the streams of an upload, which count the bytes read and sent. Sending more than `maxBytes` fails with
 * OverHttpLimit.
 */
export function openBody(
  source: Readable,
  { compress, progress, maxBytes = Infinity }: { compress: boolean; progress: UploadProgress; maxBytes?: number },
): Upload['body'] {
  const countRead = counting((bytes) => {
    progress.read += bytes;
  });
  const countSent = counting((bytes) => {
    progress.sent += bytes;
    if (progress.sent > maxBytes) throw new OverHttpLimit(`more than ${maxBytes} bytes`);
  });
  countSent.once('end', () => {
    progress.isWhole = true;
  });
  return [source, countRead, ...(compress ? [createZstdCompress()] : []), countSent];
}

function counting(count: (bytes: number) => void): Transform {
  return new Transform({
    transform: (piece: Buffer, _encoding, done) => {
      try {
        count(piece.length);
        done(null, piece);
      } catch (error: unknown) {
        done(error as Error);
      }
    },
  });
}
