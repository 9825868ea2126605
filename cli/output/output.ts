import { lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { UsageError } from '../process/errors.ts';
import type { Io } from '../process/io.ts';

/** The target of a download. */
interface Output {
  write(page: Response): Promise<void>;
  close(): Promise<void>;
  /** Called instead of `close` after an error. */
  discard(): Promise<void>;
}

const STDOUT = '-';

/**
 * Writes pages to a file, or to standard output if `file` is absent or `-`. The file appears only when it is complete, so that
 * no reader sees a part of it. Throws UsageError if the file cannot be written, or is a folder, device or pipe.
 */
export async function writePages(
  io: Pick<Io, 'stdout' | 'folder' | 'randomId'>,
  file: string | undefined,
  pages: AsyncIterable<Response>,
): Promise<void> {
  const output = await openOutput(io, file);
  try {
    for await (const page of pages) await output.write(page);
    await output.close();
  } catch (error: unknown) {
    await output.discard();
    throw error;
  }
}

async function openOutput(
  { stdout, folder, randomId }: Pick<Io, 'stdout' | 'folder' | 'randomId'>,
  file: string | undefined,
): Promise<Output> {
  const nothing = async (): Promise<void> => {};
  if (file === undefined || file === STDOUT)
    return { write: (page) => pour(page, stdout), close: nothing, discard: nothing };
  const path = await plainPath(resolve(folder, file), file);
  const part = `${path}.${randomId()}.part`;
  const handle = await open(part, 'wx').catch((error: unknown) => {
    throw cannotWrite(file, error);
  });
  const stream = handle.createWriteStream();
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

const cannotWrite = (file: string, error: unknown): UsageError =>
  new UsageError(`--out: cannot write ${file} (${(error as NodeJS.ErrnoException).code})`, { cause: error });

/** Returns the path of a regular file, with links resolved, or of a file that does not exist yet. */
async function plainPath(path: string, file: string): Promise<string> {
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    await stat(dirname(path)).catch((error: unknown) => {
      throw cannotWrite(file, error);
    });
    return path;
  }
  try {
    const target = await realpath(path);
    if ((await stat(target)).isFile()) return target;
  } catch (error: unknown) {
    throw cannotWrite(file, error);
  }
  throw new UsageError(`--out: expected a regular file, got ${file}`, {
    hint: 'To write to a pipe or device, use --out - and redirect standard output.',
  });
}

async function pour({ body }: Response, target: Writable): Promise<void> {
  if (body) await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), target, { end: false });
}
