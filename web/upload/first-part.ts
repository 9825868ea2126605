/** Selects the part of a file that is checked before the file is sent. */
import { describeFile } from '../api/media-types.ts';

const MiB = 1024 * 1024;
/** The service validates at most 1,000 items; of large items, this part contains fewer. */
const PART_BYTES = 2 * MiB;
/** Maximum size of a file that is sent whole because it cannot be cut. */
const WHOLE_BYTES = 8 * MiB;

const [LF, QUOTE] = [0x0a, 0x22];

/**
 * Returns the end of the last whole record in the beginning of a text: behind the last line feed, in CSV the last one
 * outside quotes; 0 if there is none.
 */
export function recordEnd(bytes: Uint8Array, isCsv: boolean): number {
  let end = 0;
  let inQuotes = false;
  for (let offset = 0; offset < bytes.length; offset++) {
    if (bytes[offset] === QUOTE) inQuotes = !inQuotes;
    else if (bytes[offset] === LF && !(isCsv && inQuotes)) end = offset + 1;
  }
  // In UTF-16, each line feed has two bytes.
  return end > 0 && bytes[0] === 0xff && bytes[1] === 0xfe ? end + 1 : end;
}

/** Returns the part of a file to check; undefined if the file is too large and cannot be cut. */
export async function firstPart(file: File): Promise<Blob | undefined> {
  const { format, encoding } = describeFile(file.name) ?? {};
  if (file.size <= (encoding === undefined ? PART_BYTES : WHOLE_BYTES)) return file;
  if (encoding !== undefined) return undefined;
  if (format === 'json') return file.size <= WHOLE_BYTES ? file : undefined;
  const head = file.slice(0, PART_BYTES);
  const end = recordEnd(new Uint8Array(await head.arrayBuffer()), format === 'csv');
  return end === 0 ? undefined : head.slice(0, end);
}
