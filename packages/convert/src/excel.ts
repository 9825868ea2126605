import { ConversionError } from './conversion-error.ts';
import { csvCell, inPieces } from './lines.ts';
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

/** Returns the name of the chosen sheet and the number of sheets. Throws ConversionError if the sheet does not exist. */
export async function chooseSheet(source: ExcelSource): Promise<{ sheet: string; sheets: number }> {
  const workbook = await openWorkbook(source.path, source.name);
  workbook.close();
  return { sheet: findSheet(workbook, source).name, sheets: workbook.sheets.length };
}

/**
 * Converts a sheet to CSV in UTF-8 with commas, so that the app matches the header with the schema and converts the cells, as
 * for any other table. The first row that is not empty is the header. Only one piece of the sheet and the shared strings of
 * the workbook are in memory. Throws ConversionError for cells with an error, and for cells in a column without a header.
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
  throw new ConversionError(
    sheet === undefined ? `${name} has no sheet to read` : `${name} has no sheet "${sheet}"; it has ${there}`,
  );
}

async function* csvLines(workbook: Workbook, source: ExcelSource): AsyncGenerator<string> {
  const sheet = findSheet(workbook, source);
  let header: string[] | undefined;
  for await (const { number, cells } of sheetRows(workbook, sheet)) {
    if (header === undefined) {
      header = namesOf(cells);
      if (header.length > 0) yield lineOf(header.map(csvCell));
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
      throw new ConversionError(
        `Sheet "${sheet.name}", cell ${columnName(column)}${number}: the column has no name in the header row.`,
      );
    values[column] = csvCell(isNumber ? text.replace('.', decimal) : text);
  }
  return values;
}

const lineOf = (values: readonly string[]): string => `${values.join(',')}\n`;
