import { describe, expect, it } from 'vitest';
import { zodText } from '../../../../cli/new-workload/zod-text.ts';
import { guessItem } from '../../../../shared/workload/types/guess-item.ts';

const guess = (records: object[], fromText = false, decimal: '.' | ',' = '.'): string =>
  zodText(guessItem(records, { fromText, decimal })).replaceAll('\n', ' ');
const ofValues = (values: unknown[], fromText = false, name = 'x'): string =>
  guess(
    values.map((value) => (value === undefined ? {} : { [name]: value })),
    fromText,
  );
const repeated = (values: unknown[], times = 5): unknown[] => Array.from({ length: times }, () => values).flat();

describe('the schema of a sample', () => {
  it.each<[string, unknown[], string]>([
    ['whole numbers', [1, 2, -3], 'x: z.int(),'],
    ['other numbers', [1, 2.5], 'x: z.number(),'],
    ['integers beyond the exact range', [1, 2 ** 60], 'x: z.number(),'],
    ['booleans', [true, false], 'x: z.boolean(),'],
    ['texts', ['a', 'b'], 'x: z.string(),'],
    ['null among others', [1, null], 'x: z.int().nullable(),'],
    ['fields that some records lack', [1, undefined], 'x: z.int().optional(),'],
    ['only null', [null], '// Always null in the sample. x: z.unknown().nullable(),'],
    ['days', ['2026-01-31', '2024-02-29'], 'x: z.iso.date(),'],
    ['dates that do not exist', ['2026-02-30', '2026-02-01'], 'x: z.string(),'],
    ['times in UTC', ['2026-01-31T10:00:00Z'], 'x: z.iso.datetime(),'],
    ['times with an offset', ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00+02:00'], 'z.iso.datetime({ offset: true })'],
    ['a few repeated texts', repeated(['new', 'paid']), 'z.enum(["new","paid"])'],
    ['several types', [1, 'a'], '// The sample has several types. x: z.union([z.string(), z.int()]),'],
    ['arrays', [[1], [2, 3], []], 'x: z.array(z.int()),'],
    ['objects', [{ a: 1 }, { a: 2, b: 'x' }], 'x: z.object({ a: z.int(), b: z.string().optional(), }),'],
    ['numbers as text', ['1.5', '2'], '// The sample contains only numbers, written as text. x: z.string(),'],
  ])('recognizes %s', (_what, values, expected) => {
    expect(ofValues(values)).toContain(expected);
  });

  it.each<[string, unknown[], string]>([
    ['whole numbers', ['1', '-20'], 'x: z.int(),'],
    ['other numbers', ['1', '2.50'], 'x: z.number(),'],
    ['booleans', ['true', 'false'], 'x: z.boolean(),'],
    ['empty cells as absent', ['1', ''], 'x: z.int().optional(),'],
    ['leading zeros', ['01234', '80331'], '// Text, because of leading zeros. x: z.string(),'],
    [
      'more digits than a number holds',
      ['12345678901234567', '2'],
      '// Text, because a number cannot hold so many digits. x: z.string(),',
    ],
    ['constant texts', ['EUR', 'EUR'], '// Always "EUR" in the sample. x: z.string(),'],
    [
      'decimal commas',
      ['1,50', '2'],
      '// The sample has decimal commas: --decimal comma reads them as numbers. x: z.string(),',
    ],
  ])('recognizes in CSV cells %s', (_what, values, expected) => {
    expect(ofValues(values, true)).toContain(expected);
  });

  it('reads decimal commas with the option', () => {
    expect(guess([{ x: '1,50' }, { x: '2' }], true, ',')).toContain('x: z.number(),');
  });

  it('keeps postcodes as text and names as open sets, judged by the field name', () => {
    expect(ofValues(['80331', '10115'], true, 'plz')).toContain('plz: z.string(),');
    expect(ofValues(repeated(['Ann', 'Bob']), false, 'customer')).toContain('customer: z.string(),');
  });

  it('treats an object whose names differ per record as a map', () => {
    const records = Array.from({ length: 40 }, (_, n) => ({ totals: { [`k${n}`]: n } }));
    expect(guess(records)).toContain('totals: z.record(z.string(), z.int()),');
  });

  it('quotes names that are not identifiers, and does not let a sample text end a comment', () => {
    expect(ofValues(['1'], true, 'Order No')).toContain('"Order No": z.int(),');
    expect(ofValues(['1'], true, 'a"b')).toContain('"a\\"b": z.int(),');
    const text = guess([{ x: 'a\u2028process.exit()' }, { x: 'a\u2028process.exit()' }]);
    expect(text).toContain('// Always "a process.exit()"');
  });
});
