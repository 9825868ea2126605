import { quotedCell } from '../../../shared/http/edge/csv.ts';
import { CliError, UsageError } from '../../process/errors.ts';
import { EXIT } from '../../process/exit-codes.ts';
import { type Cell, columnName, sheetRows } from './sheet-rows.ts';
import { notReadable, openWorkbook, type Sheet, type Workbook } from './workbook.ts';

/** An Excel file to upload. */
export interface ExcelSource {
  path: string;
  /** The file name as it was given. */
  name: string;
  /** Name or 1-based number; defaults to the first visible sheet. */
  sheet?: string | undefined;
  /** Decimal separator of the written numbers; defaults to a point. */
  decimal?: '.' | ',' | undefined;
}

/** Returns the name of the chosen sheet and the number of sheets. Throws UsageError if the sheet does not exist. */
export async function chooseSheet(source: ExcelSource): Promise<{ sheet: string; sheets: number }> {
  const workbook = await openWorkbook(source.path, source.name);
  workbook.close();
  return { sheet: findSheet(workbook, source).name, sheets: workbook.sheets.length };
}

/**
 * Converts a sheet to CSV in UTF-8 with commas, so that the app matches the header with the schema and converts the cells, as
 * for any other table. The first row that is not empty is the header. Only one piece of the sheet and the shared strings of
 * the workbook are in memory. Throws CliError for cells with an error, and for cells in a column without a header.
 */
export async function* excelToCsv(source: ExcelSource): AsyncGenerator<Buffer> {
  const workbook = await openWorkbook(source.path, source.name);
  try {
    yield* inPieces(csvLines(workbook, source));
  } catch (error: unknown) {
    throw notReadable(source.name, error);
  } finally {
    workbook.close();
  }
}

function findSheet({ sheets }: Workbook, { name, sheet }: ExcelSource): Sheet {
  const [first] = sheets.filter(({ isHidden }) => !isHidden);
  const same = (each: Sheet): boolean => each.name.toLowerCase() === sheet?.toLowerCase();
  const numbered = /^\d+$/.test(sheet ?? '') ? sheets[Number(sheet) - 1] : undefined;
  const found = sheet === undefined ? first : (sheets.find(same) ?? numbered);
  if (found !== undefined) return found;
  const there = sheets.map((each, n) => `${n + 1} "${each.name}"`).join(', ');
  throw new UsageError(
    sheet === undefined ? `${name} has no sheet to read` : `--sheet: ${name} has no sheet "${sheet}"; it has ${there}`,
  );
}

async function* csvLines(workbook: Workbook, source: ExcelSource): AsyncGenerator<string> {
  const sheet = findSheet(workbook, source);
  let header: string[] | undefined;
  for await (const { number, cells } of sheetRows(workbook, sheet)) {
    if (header === undefined) {
      header = namesOf(cells);
      if (header.length > 0) yield lineOf(header.map(quotedCell));
      else header = undefined;
    } else yield lineOf(valuesOf(cells, { header, sheet, number, decimal: source.decimal ?? '.' }));
  }
}

function namesOf(cells: readonly Cell[]): string[] {
  const names: string[] = [];
  for (const { column, text } of cells) if (text.trim() !== '') names[column] = text.trim();
  return Array.from(names, (name) => name ?? '');
}

function valuesOf(
  cells: readonly Cell[],
  { header, sheet, number, decimal }: { header: readonly string[]; sheet: Sheet; number: number; decimal: string },
): string[] {
  const values = header.map(() => '');
  for (const { column, text, isNumber } of cells) {
    if (!header[column])
      throw new CliError(
        `Sheet "${sheet.name}", cell ${columnName(column)}${number}: the column has no name in the header row.`,
        { exitCode: EXIT.usage },
      );
    values[column] = quotedCell(isNumber ? text.replace('.', decimal) : text);
  }
  return values;
}

const lineOf = (values: readonly string[]): string => `${values.join(',')}\n`;

const PIECE_CHARACTERS = 64 * 1024;

/** Joins lines into pieces of about 64 KiB, to reduce the number of writes. */
export async function* inPieces(lines: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let text = '';
  for await (const line of lines) {
    text += line;
    if (text.length < PIECE_CHARACTERS) continue;
    yield Buffer.from(text);
    text = '';
  }
  if (text !== '') yield Buffer.from(text);
}
