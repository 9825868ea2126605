import { DELIMITERS, type Delimiter } from '../../../contract/upload-kinds.ts';
import { type CsvRow, readCsvRow } from './csv-row.ts';

/** Number of bytes at the beginning of an upload from which its delimiter is detected. */
export const HEAD_BYTES = 64 * 1024;

const MAX_ROWS = 100;
/** A first line that declares the delimiter. Excel writes this line, and hides it when it reads the file. */
const DECLARED = /^"?sep=([,;\t|])"?(?:\r?\n|\r?$)/i;

/** Returns the delimiter that the first line declares, and the length of that line. */
export function declaredDelimiter(head: string): { delimiter: Delimiter; length: number } | undefined {
  const match = DECLARED.exec(head);
  return match ? { delimiter: match[1] as Delimiter, length: match[0].length } : undefined;
}

/**
 * Detects the delimiter of the upload that begins with `head`. Prefers the one with which the header has most names that
 * `isKnown` accepts; then the one with which most rows have as many cells as the header; then the one with most cells.
 * Returns a comma if the header is one cell with each of them.
 */
export function findDelimiter(head: string, isKnown: (header: string) => boolean): Delimiter {
  const text = head.replace(/^(?:\r?\n)+/, '');
  let best: { delimiter: Delimiter; score: readonly number[] } | undefined;
  for (const delimiter of Object.values(DELIMITERS)) {
    const score = scoreOf(firstRows(text, delimiter), isKnown);
    if (score && (!best || isHigher(score, best.score))) best = { delimiter, score };
  }
  return best?.delimiter ?? ',';
}

/** Returns the complete rows, but at least the first two; the last row may be cut off at the end of the head. */
function firstRows(text: string, delimiter: Delimiter): string[][] {
  const rows: string[][] = [];
  for (let start = 0; start < text.length && rows.length < MAX_ROWS; ) {
    const row = readCsvRow(text, start, delimiter);
    if ('message' in row || (row.end === text.length && rows.length > 1)) break;
    if (!isBlank(row)) rows.push(row.cells);
    start = row.end;
  }
  return rows;
}

const isBlank = ({ cells }: CsvRow): boolean => cells.length === 1 && cells[0] === '';

function scoreOf([header, ...rows]: string[][], isKnown: (header: string) => boolean): number[] | undefined {
  if (!header || header.length < 2) return undefined;
  const known = header.filter((cell) => cell.trim() !== '' && isKnown(cell)).length;
  const alike = rows.filter((row) => row.length === header.length).length;
  return [known, rows.length === 0 ? 1 : alike / rows.length, header.length];
}

function isHigher(score: readonly number[], than: readonly number[]): boolean {
  const index = score.findIndex((value, at) => value !== than[at]);
  return index >= 0 && (score[index] ?? 0) > (than[index] ?? 0);
}
