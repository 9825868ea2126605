import { describe, expect, it } from 'vitest';
import type { CsvReading } from '../../../../../shared/intake/parse/csv/csv-options.ts';
import { type CsvSource, parseCsv } from '../../../../../shared/intake/parse/csv/parse-csv.ts';
import { byteByByte, cut, problemOf, recordsOf } from '../../uploads.ts';

const limits = { maxRecordBytes: 200_000 };
const number = { type: 'number' };
const text = { type: 'string' };
const nullable = { type: ['number', 'null'] };

/** Reads the items and the dialect of a CSV text, and checks that they do not depend on the split. */
async function read(
  csv: string,
  options: CsvSource = {},
): Promise<{ items: unknown[]; reading: CsvReading | undefined }> {
  const readings: CsvReading[] = [];
  const source = { ...options, onReading: (reading: CsvReading) => readings.push(reading) };
  const records = await recordsOf(parseCsv(cut(csv), limits, source));
  expect(await recordsOf(parseCsv(byteByByte(csv), limits, source))).toEqual(records);
  expect(readings[1]).toEqual(readings[0]);
  return { items: records.map((record) => JSON.parse(record.slice(record.indexOf(':') + 1))), reading: readings[0] };
}

const object = (properties: Record<string, unknown>, required: string[] = []): CsvSource['schema'] => ({
  ...{ type: 'object', properties, required },
});

describe('cells', () => {
  it('are converted only if the schema requires it', async () => {
    const schema = object({
      id: text,
      postcode: text,
      amount: number,
      count: { type: 'integer' },
      paid: { type: 'boolean' },
    });
    const { items, reading } = await read(
      'id,postcode,amount,count,paid,note\n1,00123,007.50,3,TRUE,4\n2,x,many,3.5,no,\n',
      { schema },
    );
    expect(items).toEqual([
      { id: '1', postcode: '00123', amount: 7.5, count: 3, paid: true, note: '4' },
      { id: '2', postcode: 'x', amount: 'many', count: 3.5, paid: 'no' },
    ]);
    expect(reading?.columns.map(({ name, type }) => `${name}: ${type}`)).toEqual([
      ...['id: text', 'postcode: text', 'amount: number', 'count: integer', 'paid: boolean', 'note: text'],
    ]);
  });

  it('keep the digits of numbers', async () => {
    const [record] = await recordsOf(
      parseCsv(cut('a,b\n1.10,0.10000000000000000555\n'), limits, { schema: object({ a: number, b: number }) }),
    );
    expect(record).toBe('2: {"a":1.10,"b":0.10000000000000000555}');
  });

  it('are absent if empty, or null if the schema requires the property and allows null', async () => {
    const schema = object({ a: text, b: number, c: nullable, d: nullable, e: {} }, ['a', 'b', 'c', 'e']);
    const { items } = await read('a,b,c,d,e,x\n,,,,,1\n"", ,\u00a0,"",,1\n', { schema });
    expect(items).toEqual([
      { c: null, x: '1' },
      { c: null, x: '1' },
    ]);
  });

  it('are text without a schema', async () => {
    expect((await read('a,b\n1,true\n')).items).toEqual([{ a: '1', b: 'true' }]);
  });

  it('have a decimal comma if the option is set', async () => {
    const schema = object({ a: number });
    const { items, reading } = await read('a;b\n1,50;1,5\n1.5;x\n', { schema, csv: { decimal: ',' } });
    expect(items).toEqual([
      { a: 1.5, b: '1,5' },
      { a: '1.5', b: 'x' },
    ]);
    expect(reading).toMatchObject({ delimiter: ';', decimal: ',' });
  });
});

describe('dotted headers', () => {
  const address = object({ city: text, zip: text, floor: { type: 'integer' } });

  it('create nested objects, in any order, and none from empty cells', async () => {
    const schema = object({ id: text, address });
    const { items } = await read('address.city,id,address.floor,address.geo.lat\nBonn,1,3,50.7\n,2,,\n', { schema });
    expect(items).toEqual([{ address: { city: 'Bonn', floor: 3, geo: { lat: '50.7' } }, id: '1' }, { id: '2' }]);
  });

  it('create a required object also from empty cells, or null if that is allowed', async () => {
    const nothing = { anyOf: [address, { type: 'null' }] };
    const schema = object({ a: address, b: nothing, id: text }, ['a', 'b']);
    expect((await read('id,a.city,b.city\n1,,\n2,x,y\n', { schema })).items).toEqual([
      { id: '1', a: {}, b: null },
      { id: '2', a: { city: 'x' }, b: { city: 'y' } },
    ]);
  });

  it('are plain names if the schema has a property of that name, or if they are not a path', async () => {
    const schema = object({ 'a.b': number });
    expect((await read('a.b,No.,Approx. price,.x\n1,2,3,4\n', { schema })).items).toEqual([
      { 'a.b': 1, 'No.': '2', 'Approx. price': '3', '.x': '4' },
    ]);
  });

  it.each([
    ['a value and an object', 'x,a,a.b\n1,2,3\n', 5],
    ['an object and a value', 'x,a.b,a\n1,2,3\n', 7],
    ['over 100 levels', `x,${'a.'.repeat(100)}a\n1,2\n`, 3],
  ])('are refused as %s', async (_, csv, column) => {
    expect(await problemOf(parseCsv(cut(csv), limits))).toMatchObject({
      type: 'malformed-record',
      at: { line: 1, column },
    });
  });
});

describe('headers', () => {
  const schema = object({ customerId: number, orderDate: text, größe: text, address: object({ zipCode: text }) });
  const names = async (header: string, options: CsvSource = {}): Promise<string[] | undefined> =>
    (await read(`${header}\n`, { schema, ...options })).reading?.columns.map(({ name }) => name);

  it.each([
    ['customerId,orderDate', ['customerId', 'orderDate']],
    [' customer_id ,"Order Date"', ['customerId', 'orderDate']],
    ['CUSTOMER ID\u00a0,ORDER-DATE', ['customerId', 'orderDate']],
    ['GRÖSSE,Größe', ['GRÖSSE', 'größe']],
    ['Address.Zip Code,address.street', ['address.zipCode', 'address.street']],
    ['customerId,Customer ID', ['customerId', 'Customer ID']],
    ['other,!', ['other', '!']],
  ])('%s name the properties %j', async (header, expected) => {
    expect(await names(header)).toEqual(expected);
  });

  it('do not match a name that is similar to another one', async () => {
    expect(await names('A B,x', { schema: object({ aB: text, a_b: text }) })).toEqual(['A B', 'x']);
  });

  it('are renamed before they are matched, ignoring case', async () => {
    expect(
      await names('Kunde ,orderDate', { csv: { rename: { kunde: 'customerId', 'ORDERDATE ': 'address.zipCode' } } }),
    ).toEqual([...['customerId', 'address.zipCode']]);
    expect(await problemOf(parseCsv(cut('a,"b"\n1,2\n'), limits, { csv: { rename: { c: 'x' } } }))).toMatchObject({
      type: 'invalid-parameter',
      detail: 'rename: the header has no column "c". It has "a", "b".',
    });
  });

  it.each([
    ['the same name twice', 'x,a,a\n1,2,3\n', 5, 'two columns "a"'],
    ['two names of one property', 'Customer ID,customer_id\n1,2\n', 13, '"Customer ID" and "customer_id"'],
    ['a column without a name', 'a, ,b\n1,2,3\n', 3, 'without a name'],
    [
      'over 16,384 columns',
      `${Array.from({ length: 16_385 }, (_, index) => `c${index}`).join()}\n`,
      103_579,
      'Over 16384 columns',
    ],
    ['undeclared UTF-16', 'a\0,b\0\n', 1, 'charset=utf-16le'],
  ])('are refused with %s', async (_, csv, column, message) => {
    const expected = { type: 'malformed-record', at: { line: 1, column }, detail: expect.stringContaining(message) };
    expect(await problemOf(parseCsv(cut(csv), limits, { schema }))).toMatchObject(expected);
  });

  it('may end with unnamed columns whose cells are empty or missing', async () => {
    const { items, reading } = await read('a;b;;\n1;2;;\n3;4\n5;6; ;\n');
    expect(items).toEqual([
      { a: '1', b: '2' },
      { a: '3', b: '4' },
      { a: '5', b: '6' },
    ]);
    expect(reading).toMatchObject({ columns: [{ name: 'a' }, { name: 'b' }], unnamed: 2 });
    for (const [csv, column] of [
      ['a,b,\n1,2,x\n', 5],
      ['a,b,\n1,2,,\n', 5],
      ['a,b,\n1\n', 2],
      ['a,b\n1,2,\n', 5],
    ] as const)
      expect(await problemOf(parseCsv(cut(csv), limits))).toMatchObject({
        type: 'malformed-record',
        at: { line: 2, column },
      });
  });
});

describe('the dialect', () => {
  const delimiter = async (csv: string, options: CsvSource = {}): Promise<string | undefined> =>
    (await read(csv, options)).reading?.delimiter;

  it.each([
    ['a,b\n1,2\n', ','],
    ['a;b\r\n1,5;2,5\r\n', ';'],
    ['a\tb\n1,5\t2\n', '\t'],
    ['a|b\n1|2\n', '|'],
    ['name, first;age\nx;1\ny;2\n', ';'],
    ['"a,b,c";d\n"1,2,3";4\n', ';'],
    ['a;b;c\n1;"x,y\n,,,";3\n', ';'],
    ['a,b;c\n1,2;3\n', ','],
    ['a\n1,2\n', ','],
    ['a,b\n1,2,3\n', ','],
    ['\n\na;b\n1;2\n', ';'],
    ['a;b', ';'],
    ['', undefined],
  ])('of %j is %j', async (csv, expected) => {
    const readings: CsvReading[] = [];
    await problemOf(parseCsv(cut(csv), limits, { onReading: (reading) => readings.push(reading) }));
    expect(readings[0]?.delimiter).toBe(expected);
  });

  it('is the one with which the header contains names of the schema, or of a rename', async () => {
    const csv = 'a,b;c,d\n1,2;3,4\n';
    const schema = object({ 'b;c': text, 'A B': text });
    expect(await delimiter('a,b;c,d\n1,2;3,4\n')).toBe(',');
    expect(await delimiter(csv, { schema: object({ 'a,b': text, x: text }) })).toBe(';');
    expect(await delimiter(csv, { schema })).toBe(',');
    expect(await delimiter(csv, { csv: { rename: { 'C,D': 'x' } } })).toBe(';');
  });

  it('is taken from the option, or from the first line', async () => {
    expect(await delimiter('a,b;c\n1,2;3\n', { csv: { delimiter: ';' } })).toBe(';');
    for (const line of ['sep=;\n', 'SEP=;\r\n', '"sep=;"\n']) {
      const { items, reading } = await read(`${line}a;b,c\n1;2\n`);
      expect([items, reading?.delimiter]).toEqual([[{ a: '1', 'b,c': '2' }], ';']);
    }
    expect((await read('sep=;\na,b\n1,2\n', { csv: { delimiter: ',' } })).items).toEqual([{ a: '1', b: '2' }]);
    expect((await read('sep=\n1\n')).items).toEqual([{ 'sep=': '1' }]);
  });

  it('is declared by a line that positions count', async () => {
    expect(await problemOf(parseCsv(cut('sep=;\r\na;b\r\n1;2;3\r\n'), limits))).toMatchObject({
      at: { line: 3, column: 5 },
    });
  });

  it('is detected in a head that ends inside a row', async () => {
    const row = `${'x'.repeat(40_000)};1,5\n`;
    expect(await delimiter(`a;b\n${row}${row}${row}`)).toBe(';');
    expect(await delimiter(`${'h'.repeat(70_000)};b\n1;2\n`)).toBe(',');
  });
});

describe('an open quote', () => {
  const long = { maxRecordBytes: 1_000 };

  it('is reported with the position where it opens and the length read, not as a long row', async () => {
    const csv = `a,b\n1,2\n3,"${'x\n'.repeat(40_000)}`;
    for (const source of [cut, byteByByte])
      expect(await problemOf(parseCsv(source(csv), long))).toMatchObject({
        type: 'malformed-record',
        detail:
          'Line 3, column 3: The quote that opens at line 3, column 3 is not closed within the 1000 bytes that a row may have.',
      });
  });

  it('is not reported for a quoted field of many lines', async () => {
    const csv = `a;b\n1;"${'x\n'.repeat(300)}"\n`;
    expect(await recordsOf(parseCsv(cut(csv), long))).toHaveLength(1);
    expect(await problemOf(parseCsv(cut(`a;b\n1;${'x'.repeat(1_000)}\n`), long))).toMatchObject({ type: 'too-large' });
  });
});
