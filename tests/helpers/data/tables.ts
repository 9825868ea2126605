/** Writes Excel and Parquet files as other programs do, for tests. */
import { writeFile } from 'node:fs/promises';
import { DuckDBInstance } from '@duckdb/node-api';
import { strToU8, zipSync } from 'fflate';

/** A cell: a value, a date as its day number, an error, or a formula with the value that Excel has stored. */
export type CellSource =
  | string
  | number
  | boolean
  | undefined
  | { day: number; style: DateStyle }
  | { error: string }
  | { formula: string; value: string | number }
  | { raw: string };

const DATE_STYLES = ['date', 'dateTime', 'time', 'custom', 'elapsed'] as const;
type DateStyle = (typeof DATE_STYLES)[number];

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const letters = (column: number): string =>
  `${column >= 26 ? letters(Math.floor(column / 26) - 1) : ''}${String.fromCharCode(65 + (column % 26))}`;

/** An .xlsx file with these sheets, as Excel writes it: shared strings, dates as numbers with a style. */
export function xlsx(
  sheets: Readonly<Record<string, readonly (readonly CellSource[])[]>>,
  { date1904 = false, hidden = [] as readonly string[] } = {},
): Uint8Array {
  const strings: string[] = [];
  const places = new Map<string, number>();
  const place = (text: string): number => {
    const known = places.get(text) ?? strings.push(text) - 1;
    places.set(text, known);
    return known;
  };
  const cell = (value: CellSource, address: string): string => {
    if (value === undefined) return '';
    if (typeof value === 'string') return `<c r="${address}" t="s"><v>${place(value)}</v></c>`;
    if (typeof value === 'number') return `<c r="${address}"><v>${value}</v></c>`;
    if (typeof value === 'boolean') return `<c r="${address}" t="b"><v>${Number(value)}</v></c>`;
    if ('raw' in value) return `<c r="${address}"><v>${value.raw}</v></c>`;
    if ('error' in value) return `<c r="${address}" t="e"><f>1/0</f><v>${value.error}</v></c>`;
    if ('day' in value) return `<c r="${address}" s="${1 + DATE_STYLES.indexOf(value.style)}"><v>${value.day}</v></c>`;
    const type = typeof value.value === 'string' ? ' t="str"' : '';
    return `<c r="${address}"${type}><f>${escaped(value.formula)}</f><v>${escaped(String(value.value))}</v></c>`;
  };
  const names = Object.keys(sheets);
  const written = Object.values(sheets).map((rows) => {
    const lines = rows.map((row, r) => {
      const cells = row.map((value, c) => cell(value, `${letters(c)}${r + 1}`)).join('');
      return cells === '' ? '' : `<row r="${r + 1}">${cells}</row>`;
    });
    return `<worksheet xmlns="${MAIN}"><sheetData>${lines.join('')}</sheetData></worksheet>`;
  });
  const parts: Record<string, string> = {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': relationships([['officeDocument', 'xl/workbook.xml']]),
    'xl/_rels/workbook.xml.rels': relationships([
      ...names.map((_, n): [string, string] => ['worksheet', `worksheets/sheet${n + 1}.xml`]),
      ['styles', '/xl/styles.xml'],
      ['sharedStrings', 'sharedStrings.xml'],
    ]),
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><workbookPr date1904="${Number(date1904)}"/><sheets>${names
      .map((name, n) => {
        const state = hidden.includes(name) ? ' state="hidden"' : '';
        return `<sheet name="${escaped(name)}" sheetId="${n + 1}"${state} r:id="rId${n + 1}"/>`;
      })
      .join('')}</sheets></workbook>`,
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="dd&quot;. day of &quot;mmm\\ yyyy"/></numFmts><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs>${[0, 14, 22, 21, 164, 46].map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${strings.map((text) => `<si><t xml:space="preserve">${escaped(text)}</t></si>`).join('')}</sst>`,
  };
  written.forEach((sheet, n) => {
    parts[`xl/worksheets/sheet${n + 1}.xml`] = sheet;
  });
  return zipSync(Object.fromEntries(Object.entries(parts).map(([path, text]) => [path, strToU8(text)])));
}

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

const relationships = (list: readonly (readonly [type: string, target: string])[]): string =>
  `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list
    .map(([type, target], n) => `<Relationship Id="rId${n + 1}" Type="${RELATIONS}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

/** Writes the result of a DuckDB query into a Parquet file; `options` as in COPY. */
export async function writeParquet(path: string, query: string, options = ''): Promise<void> {
  const duckdb = await DuckDBInstance.create();
  const connection = await duckdb.connect();
  try {
    await connection.run(`COPY (${query}) TO '${path}' (FORMAT parquet${options === '' ? '' : `, ${options}`})`);
  } finally {
    connection.closeSync();
    duckdb.closeSync();
  }
}

/** Writes rows of NDJSON into a Parquet file, with the types that DuckDB infers. */
export async function parquetOf(path: string, items: readonly object[]): Promise<void> {
  const source = `${path}.ndjson`;
  await writeFile(source, items.map((item) => `${JSON.stringify(item)}\n`).join(''));
  await writeParquet(path, `SELECT * FROM read_json('${source}')`);
}
