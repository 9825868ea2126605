import { describe, expect, it } from 'vitest';
import { type CsvSource, parseCsv } from '../../../../../shared/intake/parse/csv/parse-csv.ts';
import { cut, problemOf } from '../../uploads.ts';
import { limits, number, object, read, text } from './read-csv.ts';

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
      'The header has over 16384 columns',
    ],
    ['a name of over 16 levels', `x,${'a.'.repeat(16)}a\n1,2\n`, 3, 'The name has over 16 levels'],
    ['a name of over 1,024 characters', `x,${'a'.repeat(1_025)}\n1,2\n`, 3, 'The name has over 1024 characters'],
    [
      'over 65,536 levels',
      `${Array.from({ length: 4_100 }, (_, index) => `${'a.'.repeat(15)}${index}`).join()}\n`,
      142_251,
      'over 65536 levels in total',
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
