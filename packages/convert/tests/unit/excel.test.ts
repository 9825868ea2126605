import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CellSource, xlsx } from '../../../../tests/helpers/data/tables.ts';
import { plainDigits } from '../../src/digits.ts';
import { chooseSheet, excelToCsv } from '../../src/excel.ts';
import { dateFormatOf } from '../../src/excel-dates.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-excel-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function csvOf(file: Uint8Array, options: { sheet?: string; decimal?: '.' | ',' } = {}): Promise<string> {
  const path = join(folder, 'book.xlsx');
  await writeFile(path, file);
  let text = '';
  for await (const piece of excelToCsv({ path, name: 'book.xlsx', ...options })) text += piece.toString();
  return text;
}

const csvOfRows = (...rows: CellSource[][]): Promise<string> => csvOf(xlsx({ Sales: rows }));

describe('a sheet', () => {
  it('is CSV with a trimmed header, empty cells, and without empty rows', async () => {
    const csv = await csvOfRows(
      [],
      [' Name ', 'Address.City', 'Active'],
      ['Müller & Söhne', undefined, true],
      [],
      [undefined, 'A "B", C\nD', false],
    );
    expect(csv).toBe('Name,Address.City,Active\nMüller & Söhne,,true\n,"A ""B"", C\nD",false\n');
  });

  it('has numbers in full digits, and formulas as their stored values', async () => {
    const csv = await csvOfRows(
      ['n', 'm'],
      [{ raw: '4.7000000000000002' }, { raw: '1E+21' }],
      [{ raw: '12345678901234567890' }, { raw: '-1.5E-7' }],
      [
        { formula: 'A2+1', value: 5.5 },
        { formula: 'A2&"x"', value: '4,7x' },
      ],
    );
    expect(csv).toBe('n,m\n4.7,1000000000000000000000\n12345678901234567890,-0.00000015\n5.5,"4,7x"\n');
  });

  it('has dates and times as ISO texts', async () => {
    const csv = await csvOfRows(
      ['a', 'b', 'c', 'd', 'e'],
      [
        { day: 46082, style: 'date' },
        { day: 46082.4375, style: 'dateTime' },
        { day: 0.5, style: 'time' },
        { day: 1, style: 'custom' },
        { day: 1.25, style: 'elapsed' },
      ],
    );
    expect(csv.split('\n')[1]).toBe('2026-03-01,2026-03-01T10:30:00Z,12:00:00,1900-01-01,30:00:00');
    const mac = xlsx({ S: [['a'], [{ day: 44620, style: 'date' }]] }, { date1904: true });
    expect(await csvOf(mac)).toBe('a\n2026-03-01\n');
  });

  it('has numbers with a decimal comma if requested, and texts unchanged', async () => {
    const book = xlsx({
      S: [
        ['a', 'b'],
        [1.5, '2,5'],
      ],
    });
    expect(await csvOf(book, { decimal: ',' })).toBe('a,b\n"1,5","2,5"\n');
  });

  it('is chosen by name or number, by default the first visible one', async () => {
    const book = xlsx({ 3: [['a'], [1]], Old: [['a'], [2]], More: [['a'], [3]] }, { hidden: ['3'] });
    expect(await csvOf(book)).toBe('a\n2\n');
    expect(await csvOf(book, { sheet: '1' })).toBe('a\n1\n');
    expect(await csvOf(book, { sheet: '3' })).toBe('a\n1\n');
    expect(await csvOf(book, { sheet: 'more' })).toBe('a\n3\n');
    await expect(csvOf(book, { sheet: 'Nein' })).rejects.toThrow(
      'book.xlsx has no sheet "Nein"; it has 1 "3", 2 "Old", 3 "More"',
    );
    const chosen = await chooseSheet({ path: join(folder, 'book.xlsx'), name: 'book.xlsx' });
    expect(chosen).toEqual({ sheet: 'Old', sheets: 3 });
  });

  it('is refused if a cell contains an error, with the address of the cell', async () => {
    const rows = [['a', 'b'], [1], [2, { error: '#DIV/0!' }]];
    await expect(csvOf(xlsx({ Sales: rows }))).rejects.toThrow('Sheet "Sales", cell B3 contains the error #DIV/0!.');
  });

  it('is refused if a value is in a column without a name, with the address of the cell', async () => {
    await expect(csvOfRows(['a'], [1, 'note'])).rejects.toThrow('cell B2: the column has no name');
  });
});

describe('a file that is not a workbook', () => {
  it.each([
    ['text', strToU8('a,b\n1,2\n')],
    ['another package', zipSync({ 'word/document.xml': strToU8('<a/>') })],
    ['a broken sheet', zipSync({ '_rels/.rels': strToU8('<a>') })],
  ])('is refused: %s', async (_what, file) => {
    await expect(csvOf(file)).rejects.toThrow('book.xlsx cannot be read as an .xlsx workbook: ');
  });

  it('is refused if a part is too large, or larger than it declares', async () => {
    const large = saying(xlsx({ S: [['a'], [1]] }), 100 * 1024 * 1024);
    await expect(csvOf(large)).rejects.toThrow('more than 64 MiB decompressed');
    const lying = saying(xlsx({ S: [['a'], [1]] }), 10);
    await expect(csvOf(lying)).rejects.toThrow('too many bytes');
  });
});

/** Returns the same file with a directory that declares each part to have `bytes`. */
function saying(zip: Uint8Array, bytes: number): Uint8Array {
  const copy = Buffer.from(zip);
  for (let at = copy.indexOf('PK\u0001\u0002'); at >= 0; at = copy.indexOf('PK\u0001\u0002', at + 1))
    copy.writeUInt32LE(bytes, at + 24);
  return copy;
}

it.each([
  [1e21, '1000000000000000000000'],
  [1.5e-7, '0.00000015'],
  [-2e-10, '-0.0000000002'],
  [0.1, '0.1'],
  [-12, '-12'],
])('the number %s has the digits %s', (value, digits) => {
  expect(plainDigits(value)).toBe(digits);
});

describe('a number format', () => {
  it.each([
    ['General', undefined],
    ['0.00 "days"', undefined],
    ['[Red]#,##0.00', undefined],
    ['[$-409]d/m/yyyy', 'date'],
    ['mm:ss', 'time'],
    ['[h]:mm', 'time'],
    ['yyyy-mm-dd hh:mm', 'date and time'],
    ['0;[Red]-0;"d"', undefined],
  ])('%s shows %s', (code, what) => {
    const { date, time } = dateFormatOf(164, code) ?? {};
    expect([date && 'date', time && 'time'].filter(Boolean).join(' and ') || undefined).toBe(what);
  });
});
