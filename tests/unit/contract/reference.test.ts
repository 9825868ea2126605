import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MalformedMessageError, NewerContractError } from '../../../shared/contract/errors.ts';
import { readReference, readResult } from '../../../shared/contract/reference.ts';
import { asciiJson } from '../../../shared/contract/text.ts';
import { headerOf, referenceOf } from '../../helpers/factories.ts';

const fixture = (name: string): string => readFileSync(new URL(`fixtures/${name}.v1.json`, import.meta.url), 'utf8');

describe('messages of version 1 are read for ever', () => {
  test.each(['reference-items', 'reference-retries'])('%s', (name) => {
    expect(readReference(fixture(name))).toEqual(JSON.parse(fixture(name)));
  });

  test.each(['result', 'result-escaped'])('%s', (name) => {
    expect(readResult(fixture(name))).toEqual(JSON.parse(fixture(name)));
  });
});

test('escapes are one way to write a message: it says the same, and is written like that again', () => {
  const text = fixture('result-escaped');
  const result = readResult(text);

  expect(text).toMatch(/^[ -~\n]*$/);
  expect(result.chunks[0]?.header.causes).toEqual({ 'rejected: Reject: a" \uffff b, \u{1f600}': 1 });
  expect(asciiJson(result)).toContain(String.raw`{"rejected: Reject: a\" \uffff b, \ud83d\ude00":1}`);
});

test('a field that this code does not know is passed over', () => {
  expect(readReference(JSON.stringify({ ...referenceOf(), colour: 'blue' }))).toEqual(referenceOf());
});

test('a newer version is left to a newer consumer, whatever else it says', () => {
  expect(() => readReference('{"v":2}')).toThrow(NewerContractError);
  expect(() => readResult('{"v":3,"chunks":7}')).toThrow(NewerContractError);
});

test.each<[string, string]>([
  ['no JSON', '{"v":1'],
  ['no object', '7'],
  ['no version', '{}'],
  ['a version that never was', '{"v":0}'],
  ['a path for a chunk', JSON.stringify({ ...referenceOf(), chunk: '../../secrets' })],
  ['a chunk with a character that row keys refuse', JSON.stringify({ ...referenceOf(), chunk: 'a#b' })],
  ['something for a batch', JSON.stringify({ ...referenceOf(), batch: 'open' })],
  ['another container', JSON.stringify({ ...referenceOf(), container: 'inbox' })],
  ['a negative offset', JSON.stringify({ ...referenceOf(), offset: -1 })],
  ['a digest of another kind', JSON.stringify({ ...referenceOf(), digest: 'md5:abc' })],
])('a reference with %s is malformed', (_what, text) => {
  expect(() => readReference(text)).toThrow(MalformedMessageError);
});

test('a result without a chunk is malformed', () => {
  const result = { v: 1, workload: 'billing', queue: 'q', chunks: [], operations: {}, at: '' };
  const chunks = [{ batch: referenceOf().batch, chunk: '000000', header: headerOf() }];

  expect(() => readResult(JSON.stringify(result))).toThrow(MalformedMessageError);
  expect(readResult(JSON.stringify({ ...result, chunks })).chunks).toHaveLength(1);
});
