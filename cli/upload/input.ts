import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { UsageError } from '../errors.ts';
import type { Session } from '../session.ts';
import { type KindOptions, kindOfFile, kindOfStream, type UploadKind } from './kind.ts';

/** What is to be uploaded. */
export interface Input {
  /** Of the file, without folders; `stdin` for standard input. */
  name: string;
  kind: UploadKind;
  /** Idempotency key. */
  key: string;
  /** Bytes, if they are known before. */
  size: number | undefined;
  /** Whether it can be opened more than once. */
  isFile: boolean;
  open(): Readable;
}

/** What decides about kind and key. */
export interface InputOptions extends KindOptions {
  idempotencyKey?: string;
  again?: boolean;
}

/** The file, or standard input for `-`. Throws UsageError for what is no file. */
export async function openInput(session: Session, file: string, options: InputOptions): Promise<Input> {
  const { io } = session;
  const chosen = options.idempotencyKey ?? (options.again ? io.randomId() : undefined);
  if (file === '-') {
    const key = chosen ?? io.randomId();
    return { name: 'stdin', kind: kindOfStream(options), key, size: undefined, isFile: false, open: () => io.stdin };
  }
  const path = resolve(io.folder, file);
  const size = await sizeOf(path, file);
  const kind = kindOfFile(path, options);
  const key = chosen ?? (await contentKey(path));
  return { name: file, kind, key, size, isFile: true, open: () => createReadStream(path) };
}

async function sizeOf(path: string, file: string): Promise<number> {
  const facts = await stat(path).catch((error: unknown) => {
    throw new UsageError(`FILE: cannot read ${file} (${(error as NodeJS.ErrnoException).code})`, { cause: error });
  });
  if (facts.isFile()) return facts.size;
  throw new UsageError(`FILE: ${file} is no regular file`, { hint: 'Pipe it into "sluice submit -".' });
}

/** The same content gives the same key: who repeats a command means the same batch. */
async function contentKey(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  return `sha256-${hash.digest('hex')}`;
}
