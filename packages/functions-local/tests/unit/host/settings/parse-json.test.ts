import { describe, expect, it } from 'vitest';
import { parseJsonObject } from '../../../../src/host/settings/parse-json.ts';

describe('parseJsonObject', () => {
  it('reads an object, also after a byte order mark', () => {
    expect(parseJsonObject('\uFEFF{"a":[1,"\u007f",{}],"b":null}', 'f')).toEqual({ a: [1, '\u007f', {}], b: null });
  });

  it.each([
    ['', 'the file ends too early at line 1, column 1'],
    ['{"a": 1', 'the file ends too early at line 1, column 8'],
    ['{\n  "a": x\n}', 'unexpected "x" at line 2, column 8'],
    ['{\n  "a": 1\n  "b": 2\n}', 'unexpected "\\"" at line 3, column 3'],
    ['{ "a": [1, ] }', 'unexpected "]" at line 1, column 12'],
    ['{ "a": 1, }', 'unexpected "}" at line 1, column 11'],
    ['{ a: 1 }', 'unexpected "a" at line 1, column 3'],
    ["{ 'a': 1 }", 'unexpected "\'" at line 1, column 3'],
    ['{ "a": "b\n" }', 'unexpected "\\"" at line 1, column 8'],
    ['{ "a": 01 }', 'unexpected "1" at line 1, column 9'],
    ['{ // remark\n}', 'unexpected "/" at line 1, column 3'],
    ['{} {}', 'unexpected "{" at line 1, column 4'],
  ])('reports where %j is not valid JSON', (text, expected) => {
    expect(() => parseJsonObject(text, 'host.json')).toThrow(`host.json: not valid JSON: ${expected}.`);
  });

  it.each(['[1]', '"a"', 'null'])('refuses %s instead of an object', (text) => {
    expect(() => parseJsonObject(text, 'host.json')).toThrow('host.json: expected a JSON object');
  });
});
