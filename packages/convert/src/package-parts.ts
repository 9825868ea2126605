/**
 * Reads the parts of an Office file (Open Packaging Conventions, ECMA-376 part 2): entries of a zip file, and their
 * relationships.
 */
import { posix } from 'node:path';
import type { Entry, ZipFile } from 'yauzl';
import { readXml, type XmlHandlers } from './xml.ts';

export const MIB = 1024 * 1024;
/** Maximum number of parts; a workbook has one per sheet, picture and chart. */
const MAX_PARTS = 10_000;

/** Opens a part, decompressed. */
export type Read = (part: string) => Promise<AsyncIterable<Buffer>>;

/** Returns the parts by path. Throws an Error if there are too many. */
export async function partsOf(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MAX_PARTS) throw new Error(`it has ${zip.entryCount} parts, expected at most ${MAX_PARTS}`);
  const parts = new Map<string, Entry>();
  for await (const entry of zip.eachEntry()) parts.set(entry.fileName, entry);
  return parts;
}

/** Opens a part. Throws an Error if it is missing, or is larger than `maxBytes` decompressed. */
export async function readPart(
  zip: ZipFile,
  parts: ReadonlyMap<string, Entry>,
  { part, maxBytes }: { part: string; maxBytes: number },
): Promise<AsyncIterable<Buffer>> {
  const entry = parts.get(part);
  if (entry === undefined) throw new Error(`its part ${part} is missing`);
  if (entry.uncompressedSize > maxBytes)
    throw new Error(`its part ${part} has more than ${maxBytes / MIB} MiB decompressed`);
  return zip.openReadStreamPromise(entry);
}

/** Returns the relationships of a part; `type` is the last segment of their type. */
export async function targetsOf(read: Read, part: string): Promise<{ id: string; type: string; target: string }[]> {
  const { dir, base } = posix.parse(part);
  const found: { id: string; type: string; target: string }[] = [];
  await collect(await read(posix.join(dir, '_rels', `${base}.rels`)), {
    open: (name, { Id = '', Type = '', Target = '' }) => {
      if (name === 'Relationship')
        found.push({ id: Id, type: Type.split('/').at(-1) ?? '', target: posix.resolve('/', dir, Target).slice(1) });
    },
  });
  return found;
}

/** Reads an XML document to its end. */
export async function collect(source: AsyncIterable<Buffer>, handlers: XmlHandlers): Promise<void> {
  for await (const _ of readXml(source, handlers));
}
