import { type Readable, Transform } from 'node:stream';
import { createZstdCompress } from 'node:zlib';
import type { Upload } from './send.ts';

/** How far an upload is. Bytes: read of the source, of how many if that is known, and sent. */
export interface UploadProgress {
  read: number;
  size: number | undefined;
  sent: number;
}

/** What is over the limit of one request. */
export class OverHttpLimit extends Error {
  override name = 'OverHttpLimit';
}

/** A source and what its bytes pass through; both ends are counted, and `maxBytes` is the most to send. */
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
