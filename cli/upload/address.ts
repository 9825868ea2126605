/** Submits the file at an address: this machine downloads it and sends it on, without storing it. */
import { Readable } from 'node:stream';
import { fileNameOfUrl } from '../../shared/contract/upload-kinds.ts';
import { toError } from '../../shared/errors.ts';
import { CliError, Unreachable, UsageError } from '../process/errors.ts';
import type { Io } from '../process/io.ts';
import { conversionOf, type KindOptions, kindOfFile, type UploadKind } from './kind.ts';

/** Whether an argument is an address and not a file of this machine. */
export const isAddress = (argument: string): boolean => /^https?:\/\//i.test(argument);

export interface AddressFile {
  /** The address without its query, which may contain a signature. */
  name: string;
  fileName: string;
  kind: UploadKind;
  open(): Readable;
}

/**
 * Returns the file at an address, without connecting. Its format is that of the last part of the path, or of the options.
 * Throws UsageError if neither determines it, or if the file would have to be converted.
 */
export function fileAt(address: string, io: Pick<Io, 'fetch'>, options: KindOptions): AddressFile {
  if (!URL.canParse(address)) throw new UsageError(`FILE: expected an address, got ${address}`);
  const { origin, pathname } = new URL(address);
  const fileName = fileNameOfUrl(address);
  if (options.format === undefined && conversionOf(fileName) !== undefined)
    throw new UsageError(`FILE: ${fileName} cannot be converted while it is downloaded`, {
      hint: 'Download the file and submit it.',
    });
  const name = `${origin}${pathname}`;
  const open = (): Readable => Readable.from(download(address, name, io), { objectMode: false });
  return { name, fileName, kind: kindOfFile(fileName, options), open };
}

/** Throws Unreachable if the connection fails, or CliError for an answer without the file. */
async function* download(address: string, name: string, io: Pick<Io, 'fetch'>): AsyncGenerator<Uint8Array> {
  const lost = (error: unknown): never => {
    const { message, cause } = toError(error);
    throw new Unreachable(`${name} cannot be read: ${cause instanceof Error ? cause.message : message}`);
  };
  // The stored bytes: the ending of the name says whether they are compressed.
  const { ok, status, body } = await io.fetch(address, { headers: { 'accept-encoding': 'identity' } }).catch(lost);
  if (!ok || body === null) throw new CliError(`${name} cannot be read: status ${status}. Nothing was accepted.`);
  try {
    yield* body;
  } catch (error: unknown) {
    lost(error);
  }
}
