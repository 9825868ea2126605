import { describe, expect, it } from 'vitest';
import { type CsvSource, parseCsv } from '../../../../../shared/intake/parse/csv/parse-csv.ts';
import type { CsvReading } from '../../../../../shared/intake/parse/csv-options.ts';
import { cut, problemOf } from '../../uploads.ts';
import { limits, object, read, text } from './read-csv.ts';

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
  });
});
