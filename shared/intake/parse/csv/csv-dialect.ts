/** Finds the delimiter of a CSV upload in its head. */
import { DELIMITERS, type Delimiter } from '../../../contract/upload-kinds.ts';
import { type CsvRow, readCsvRow } from './csv-row.ts';

/** The part of an upload that decides about its delimiter, in bytes. */
export const HEAD_BYTES = 64 * 1024;

const MAX_ROWS = 100;
/** The first line, by which a spreadsheet says what it delimits cells with: Excel writes it, and hides it when it reads. */
const DECLARED = /^"?sep=([,;\t|])"?(?:\r?\n|\r?$)/i;

/** What the first line of an upload says of its delimiter, and the length of that line. */
export function declaredDelimiter(head: string): { delimiter: Delimiter; length: number } | undefined {
  const match = DECLARED.exec(head);
  return match ? { delimiter: match[1] as Delimiter, length: match[0].length } : undefined;
}

/**
 * The delimiter of the upload that begins with `head`: the one by which the header has most of the names that `isKnown`
 * knows; else one by which most rows have as many cells as the header, then the one with most cells. A comma, when the
 * header is one cell by all of them.
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

/** Rows that are whole, if there are any; the last one may be cut off with the head. */
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
