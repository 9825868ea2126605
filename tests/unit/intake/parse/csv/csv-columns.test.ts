import { describe, expect, it } from 'vitest';
import { compileColumns } from '../../../../../shared/intake/parse/csv/csv-columns.ts';
import { HeaderNames } from '../../../../../shared/intake/parse/csv/csv-header.ts';
import { parseCsv } from '../../../../../shared/intake/parse/csv/parse-csv.ts';
import { cut, problemOf, recordsOf } from '../../uploads.ts';
import { limits, number, object, read, text } from './read-csv.ts';

const nullable = { type: ['number', 'null'] };

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
  ])('are refused as %s', async (_, csv, column) => {
    expect(await problemOf(parseCsv(cut(csv), limits))).toMatchObject({
      type: 'malformed-record',
      at: { line: 1, column },
    });
  });

  it('cost one read per cell and row, with any number of levels', () => {
    const names = Array.from({ length: 50 }, (_, index) => `${`a${index}.`.repeat(15)}x`);
    const reading = { delimiter: ',', decimal: '.', charset: 'utf-8' } as const;
    const named = names.map((name) => ({ header: name, name }));
    const columns = compileColumns({ ...reading, columns: named }, new HeaderNames(undefined));
    let reads = 0;
    const row = new Proxy(
      names.map(() => '1'),
      {
        get: (cells, key) => {
          reads++;
          return Reflect.get(cells, key);
        },
      },
    );
    expect('toJson' in columns && Object.keys(JSON.parse(columns.toJson(row)))).toHaveLength(names.length);
    expect(reads).toBe(names.length);
  });
});
