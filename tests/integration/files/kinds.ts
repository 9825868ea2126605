/** Creates files of many kinds with the same sales, as other programs write them. */
import { gzipSync } from 'node:zlib';
import { type CellSource, xlsx } from '../../helpers/data/tables.ts';
import type { Sale } from './app/sales.ts';

const CITIES = ['Zürich', 'Genève', 'Bern'];
const TIERS = ['basic', 'plus', 'pro'] as const;
const NOTES = [undefined, 'fragile', 'says "no";\nnext | line,\twith all\r\nof them', '00123', '-', 'true'];
const FIRST_DAY = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

/** Sales with prices, postcodes and notes that are easily misread. */
export const someSales = (count: number): Sale[] =>
  Array.from({ length: count }, (_, n) => {
    const note = NOTES[n % NOTES.length];
    return {
      id: String(n).padStart(6, '0'),
      customer: `Kundin ${n % 17}, Söhne`,
      quantity: 1 + ((n * 7) % 13),
      price: ((n * 7919) % 100_000) / 100,
      paid: n % 3 === 0,
      tier: TIERS[n % 3] ?? 'pro',
      sold: new Date(FIRST_DAY + (n % 300) * DAY_MS).toISOString().slice(0, 10),
      ...(note === undefined ? {} : { note }),
      address: { city: CITIES[(n >> 2) % 3] ?? 'Bern', postcode: String((n * 31) % 100_000).padStart(5, '0') },
    };
  });

const COLUMNS = [
  'id',
  'customer',
  'quantity',
  'price',
  'paid',
  'tier',
  'sold',
  'note',
  'address.city',
  'address.postcode',
];

type Value = string | number | boolean | undefined;

const rowOf = ({ address, ...sale }: Sale): Value[] => [
  ...[sale.id, sale.customer, sale.quantity, sale.price, sale.paid, sale.tier, sale.sold, sale.note],
  ...[address.city, address.postcode],
];

/** The dialect of a table. */
interface Dialect {
  delimiter?: string;
  newline?: string;
  header?: readonly string[];
  decimal?: string;
}

/** Creates a table with a header; cells are quoted if RFC 4180 requires it. */
export function table(
  sales: readonly Sale[],
  { delimiter = ',', newline = '\n', header = COLUMNS, decimal = '.' }: Dialect = {},
): string {
  const cell = (value: Value): string => {
    const text = typeof value === 'number' ? String(value).replace('.', decimal) : String(value ?? '');
    return /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...sales.map(rowOf)].map((row) => `${row.map(cell).join(delimiter)}${newline}`).join('');
}

/** The dialect of a German, French or Dutch spreadsheet for "CSV UTF-8". */
export const spreadsheetCsv = (sales: readonly Sale[]): string =>
  `\ufeff${table(sales, { delimiter: ';', newline: '\r\n', decimal: ',' })}`;

export const PADDED = [
  ' ID',
  'Customer ',
  ' QUANTITY ',
  'Price',
  'PAID',
  'Tier',
  'Sold',
  'Note',
  'Address.City',
  'ADDRESS.postcode',
];
export const FOREIGN = ['Nr', 'Kunde = Name', 'Menge', ...COLUMNS.slice(3)];

/** Encodes the table in windows-1252, where these letters have the same numbers as in Unicode. */
export const windows1252 = (text: string): Buffer => Buffer.from(text, 'latin1');

export const ndjsonGz = (sales: readonly Sale[]): Buffer =>
  gzipSync(sales.map((sale) => `${JSON.stringify(sale)}\n`).join(''));

const EXCEL_EPOCH = Date.UTC(1899, 11, 30);

/** Creates a workbook whose first sheet is a cover, with dates as Excel stores them. */
export function workbook(sales: readonly Sale[]): Uint8Array {
  const rows = sales.map((sale): CellSource[] =>
    rowOf(sale).map((value, column) =>
      COLUMNS[column] === 'sold'
        ? { day: (Date.parse(sale.sold) - EXCEL_EPOCH) / DAY_MS, style: 'date' as const }
        : value,
    ),
  );
  return xlsx({ Cover: [['Sales of the year']], Sales: [['Id ', ...COLUMNS.slice(1)], ...rows] });
}
