import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Io } from './io.ts';

/** Where a download goes. */
export interface Output {
  write(page: Response): Promise<void>;
  close(): Promise<void>;
  /** In place of `close`, after a fault. */
  discard(): Promise<void>;
}

/** Standard output, or a file: which appears when it is whole, so that nobody takes half of it for all. */
export async function openOutput({ stdout, folder }: Io, file: string | undefined): Promise<Output> {
  const nothing = async (): Promise<void> => {};
  if (file === undefined) return { write: (page) => pour(page, stdout), close: nothing, discard: nothing };
  const path = resolve(folder, file);
  const part = `${path}.part`;
  const stream = createWriteStream(part);
  return {
    write: (page) => pour(page, stream),
    close: async () => {
      await new Promise<void>((done, failed) => {
        stream.once('error', failed);
        stream.end(done);
      });
      await rename(part, path);
    },
    discard: async () => {
      stream.destroy();
      await rm(part, { force: true });
    },
  };
}

async function pour({ body }: Response, target: Writable): Promise<void> {
  if (body) await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), target, { end: false });
}
