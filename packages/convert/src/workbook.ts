import yauzl from 'yauzl';
import { ConversionError } from './conversion-error.ts';
import { type DateFormat, dateFormatOf } from './excel-dates.ts';
import { collect, MIB, partsOf, type Read, readPart, targetsOf } from './package-parts.ts';

/** The name of a sheet, and its path in the package. */
export interface Sheet {
  name: string;
  path: string;
  isHidden: boolean;
}

/** An open .xlsx file. Only the shared strings are held in memory. */
export interface Workbook {
  sheets: readonly Sheet[];
  is1904: boolean;
  /** The date format of each cell style; undefined for styles of other values. */
  dateFormats: readonly (DateFormat | undefined)[];
  /** The texts that cells refer to by position; read on the first call. */
  strings(): Promise<readonly string[]>;
  read(sheet: Sheet): Promise<AsyncIterable<Buffer>>;
  close(): void;
}

/**
 * Limits of the decompressed sizes: a sheet is streamed, the shared strings are held in memory. yauzl refuses a package whose
 * entries are larger than they declare.
 */
const MAX_BYTES = { part: 64 * MIB, strings: 512 * MIB, sheet: 8 * 1024 * MIB };

/** Opens an .xlsx file. Throws ConversionError if it is not one, or has a password. */
export async function openWorkbook(path: string, name: string): Promise<Workbook> {
  const refuse = (error: unknown): never => {
    throw notReadable(name, error);
  };
  const zip = await yauzl.openPromise(path, { autoClose: false, lazyEntries: true }).catch(refuse);
  try {
    const parts = await partsOf(zip);
    const read = (part: string, maxBytes = MAX_BYTES.part): ReturnType<Read> =>
      readPart(zip, parts, { part, maxBytes });
    const main = (await targetsOf(read, '')).find(({ type }) => type === 'officeDocument')?.target ?? 'xl/workbook.xml';
    const targets = await targetsOf(read, main);
    const find = (type: string): string | undefined => targets.find((each) => each.type === type)?.target;
    const about = await readAbout(await read(main), new Map(targets.map(({ id, target }) => [id, target])));
    const styles = find('styles');
    const stringsPart = find('sharedStrings');
    let strings: Promise<readonly string[]> | undefined;
    return {
      ...about,
      dateFormats: styles === undefined ? [] : await readStyles(await read(styles)),
      strings: () => {
        strings ??= stringsPart === undefined ? Promise.resolve([]) : readStrings(read(stringsPart, MAX_BYTES.strings));
        return strings;
      },
      read: ({ path: part }) => read(part, MAX_BYTES.sheet),
      close: () => zip.close(),
    };
  } catch (error: unknown) {
    zip.close();
    return refuse(error);
  }
}

/** Converts the error of an unreadable workbook to a ConversionError; returns a ConversionError unchanged. */
export function notReadable(name: string, error: unknown): ConversionError {
  if (error instanceof ConversionError) return error;
  return new ConversionError(`${name} cannot be read as an .xlsx workbook: ${(error as Error).message}`, {
    hint: 'Save a workbook with a password, or in the old format .xls, as .xlsx without a password.',
    cause: error,
  });
}

async function readAbout(
  source: AsyncIterable<Buffer>,
  targets: ReadonlyMap<string, string>,
): Promise<Pick<Workbook, 'sheets' | 'is1904'>> {
  const sheets: Sheet[] = [];
  let is1904 = false;
  await collect(source, {
    open: (element, attributes) => {
      const { name, id, state, date1904 } = attributes;
      if (element === 'workbookPr') is1904 = date1904 === '1' || date1904 === 'true';
      const path = targets.get(id ?? '');
      // A chart sheet has no cells.
      if (element === 'sheet' && name !== undefined && path !== undefined && !path.includes('chartsheets/'))
        sheets.push({ name, path, isHidden: state === 'hidden' || state === 'veryHidden' });
    },
  });
  return { sheets, is1904 };
}

async function readStyles(source: AsyncIterable<Buffer>): Promise<(DateFormat | undefined)[]> {
  const codes = new Map<number, string>();
  const formats: (DateFormat | undefined)[] = [];
  let inCellFormats = false;
  await collect(source, {
    open: (name, { numFmtId = '0', formatCode = '' }) => {
      if (name === 'numFmt') codes.set(Number(numFmtId), formatCode);
      if (name === 'cellXfs') inCellFormats = true;
      if (name === 'xf' && inCellFormats) formats.push(dateFormatOf(Number(numFmtId), codes.get(Number(numFmtId))));
    },
    close: (name) => {
      if (name === 'cellXfs') inCellFormats = false;
    },
  });
  return formats;
}

async function readStrings(source: Promise<AsyncIterable<Buffer>>): Promise<string[]> {
  const strings: string[] = [];
  let text = '';
  let isText = false;
  let phonetic = 0;
  await collect(await source, {
    open: (name) => {
      if (name === 'rPh') phonetic++;
      isText = name === 't' && phonetic === 0;
    },
    text: (piece) => {
      if (isText) text += piece;
    },
    close: (name) => {
      isText = false;
      if (name === 'rPh') phonetic--;
      if (name !== 'si') return;
      strings.push(unescapeText(text));
      text = '';
    },
  });
  return strings;
}

/** Decodes characters that XML cannot represent, written as `_x000D_`. */
export const unescapeText = (text: string): string =>
  text.includes('_x')
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;
