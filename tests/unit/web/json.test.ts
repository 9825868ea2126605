import { describe, expect, it } from 'vitest';
import { type FieldChange, patchOf } from '../../../web/json/field-changes.ts';
import { lineDiff } from '../../../web/json/line-diff.ts';

const SIGNS = { same: ' ', removed: '-', added: '+' };
const diff = (before: string[], after: string[]): string =>
  lineDiff(before.join('\n'), after.join('\n'))
    .map(({ kind, text }) => `${SIGNS[kind]}${text}`)
    .join('');

describe('the lines of two texts', () => {
  it.each([
    ['nothing', 'abc', 'abc', ' a b c'],
    ['a change', 'abc', 'axc', ' a-b+x c'],
    ['an addition', 'ac', 'abc', ' a+b c'],
    ['a removal', 'abc', 'ac', ' a-b c'],
    ['changes apart', 'abcdef', 'xbcdyf', '-a+x b c d-e+y f'],
    ['a move', 'abcd', 'bcda', '-a b c d+a'],
    ['repeated lines', 'aab', 'aaab', ' a a+a b'],
  ])('differ by %s', (_what, before, after, expected) => {
    expect(diff([...before], [...after])).toBe(expected);
  });

  it('are all changed if there are too many to compare', () => {
    const lines = (name: string) => Array.from({ length: 1_500 }, (_, n) => `${name}${n}`);
    const found = lineDiff(lines('a').join('\n'), lines('b').join('\n'));
    expect(found.map(({ kind }) => kind)).toEqual([...Array(1_500).fill('removed'), ...Array(1_500).fill('added')]);
  });
});

const set = (path: string, value: string, kind: FieldChange['kind'] = 'json'): FieldChange => ({ path, value, kind });

describe('changes of fields', () => {
  it.each<[string, FieldChange[], string]>([
    ['a text', [set('country', 'D"E', 'text')], '{"country":"D\\"E"}'],
    ['a number with its digits', [set('amount', ' 12345678901234567890.10 ')], '{"amount":12345678901234567890.10}'],
    ['a removal', [set('note', 'ignored', 'remove')], '{"note":null}'],
    ['inner fields', [set('a.b', '1'), set('a.c.d', '[null]')], '{"a":{"b":1,"c":{"d":[null]}}}'],
    ['a name with a dot', [set('a\\.b', 'true')], '{"a.b":true}'],
    ['any name', [set('__proto__.x', '1')], '{"__proto__":{"x":1}}'],
  ])('make a patch of %s', (_what, changes, patch) => expect(patchOf(changes)).toEqual({ patch }));

  it.each<[FieldChange[], RegExp]>([
    [[set('', '1')], /name of the field/],
    [[set('a..b', '1')], /name of the field/],
    [[set('a', 'x')], /not JSON/],
    [[set('a', '{"b":null}')], /null removes/],
    [[set('a', '1'), set('a', '2')], /a is changed twice/],
    [[set('a', '1'), set('a.b', '2')], /a is changed twice/],
    [[set('a.b', '1'), set('a', '2')], /a is changed twice/],
  ])('%j are refused', (changes, fault) => {
    expect(patchOf(changes)).toEqual({ fault: expect.stringMatching(fault) });
  });
});
