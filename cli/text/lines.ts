import { parseExact } from '../../shared/contract/text/exact-json.ts';

/** The values of an NDJSON text. Numbers keep all their digits; the shape is the one that the caller was promised. */
export function parseLines<T>(text: string): T[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => parseExact(line) as T);
}
