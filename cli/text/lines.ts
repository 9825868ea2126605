import { parseExact } from '../../shared/contract/text/exact-json.ts';

/** Parses an NDJSON text. Numbers keep all their digits. The shape is not checked. */
export function parseLines<T>(text: string): T[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => parseExact(line) as T);
}
