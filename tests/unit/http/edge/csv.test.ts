import { describe, expect, it } from 'vitest';
import { columnsOf, csvCell, csvLine, OTHER_FIELDS, valuesBy } from '../../../../shared/http/edge/csv.ts';

describe('csvCell', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    [null, ''],
    [undefined, ''],
    [0, '0'],
    [-1.5, '-1.5'],
    [true, 'true'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    [' padded', '" padded"'],
    [{ a: 1 }, '"{""a"":1}"'],
    [[1, 2], '"[1,2]"'],
  ])('writes %j as %s', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+SUM(A1)', "'+SUM(A1)"],
    ['-2+3', "'-2+3"],
    ['@cmd', "'@cmd"],
    ['  =1', "'  =1"],
    ['\t=1', "'\t'=1"],
    ['\rx', '"\'\rx"'],
    ['＝1', "'＝1"],
    ['=HYPERLINK("http://x","y")', '"\'=HYPERLINK(""http://x"",""y"")"'],
  ])('prevents the evaluation of %j', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
  });

  it.each([
    ['x;=1+1', "x;'=1+1"],
    ['x; \t@cmd', "x; \t'@cmd"],
    ['a;"=1+1"', '"a;""\'=1+1"""'],
    ['two\n-2+3', '"two\n\'-2+3"'],
    ['x|＝1', "x|'＝1"],
    ['x\t+A1;=B1', "x\t'+A1;'=B1"],
    [{ note: 'x;=1+1', more: ';-A1' }, '"{""note"":""x;\\u003d1+1"",""more"":"";\\u002dA1""}"'],
  ])('prevents the evaluation of %j by a spreadsheet with another separator', (value, cell) => {
    expect(csvCell(value)).toBe(cell);
    const unquoted = cell.replace(/^"|"$/g, '').replaceAll('""', '"');
    if (typeof value === 'object') expect(JSON.parse(unquoted)).toEqual(value);
  });

  it('takes time in proportion to the length of a cell', () => {
    const long = '\n'.repeat(2_000_000);
    expect(csvCell(long)).toBe(`"'${long}"`);
  });

  it.each(['a;-12.50', 'a; +1;b', '2026-01-02 | -3E-2', 'a-b; c=d'])('leaves the text %s unchanged', (value) => {
    expect(csvCell(value)).toBe(value);
  });

  it.each(['-12.50', '+1', '1e5', '-3E-2', '0.1'])('leaves the number %s unchanged', (value) => {
    expect(csvCell(value)).toBe(value);
  });
});

describe('csvLine and columnsOf', () => {
  it('ends records as RFC 4180 requires', () => {
    expect(csvLine(['a', undefined, 2])).toBe('a,,2\r\n');
  });

  it('lists every field once, in the order of first appearance', () => {
    const { names, isCut } = columnsOf([{ b: 1, a: 2 }, 'scalar', null, [1], { c: 3, a: 4 }]);
    expect([names, isCut]).toEqual([['b', 'a', 'c'], false]);
  });

  it('limits the columns, however many fields the values have', () => {
    const values = Array.from({ length: 300 }, (_, n) => ({ same: 0, [`a${n}`]: n, [`b${n}`]: n }));
    const { names, isCut } = columnsOf(values);
    expect([names.length, isCut]).toEqual([500, true]);
    expect(valuesBy([...names.slice(0, 2), OTHER_FIELDS])({ same: 1, a0: 2, b299: 3 })).toEqual([1, 2, { b299: 3 }]);
  });
});
