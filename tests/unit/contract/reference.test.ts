import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MalformedMessageError, NewerContractError } from '../../../shared/contract/errors.ts';
import { readReference, readResult } from '../../../shared/contract/reference.ts';
import { asciiJson } from '../../../shared/contract/text/text.ts';
import { headerOf, referenceOf } from '../../helpers/data/factories.ts';

const fixture = (name: string, version = 1): string =>
  readFileSync(new URL(`fixtures/${name}.v${version}.json`, import.meta.url), 'utf8');
const blobReference = JSON.parse(fixture('reference-blob', 2)) as Record<string, unknown>;

describe('messages of version 1 stay readable', () => {
  test.each(['reference-items', 'reference-retries'])('%s', (name) => {
    expect(readReference(fixture(name))).toEqual(JSON.parse(fixture(name)));
  });

  test.each(['result', 'result-escaped'])('%s', (name) => {
    expect(readResult(fixture(name))).toEqual(JSON.parse(fixture(name)));
  });
});

test('a reference of version 2 stays readable', () => {
  expect(readReference(fixture('reference-blob', 2))).toEqual(blobReference);
});

test('a reference of version 2 needs only workload, producer and blob', () => {
  const least = { v: 2, workload: 'billing', producer: 'A.b_c-1', blob: 'billing/a.ndjson' };

  expect(readReference(JSON.stringify(least))).toEqual(least);
});

test.each<[string, Record<string, unknown>]>([
  ['a batch, which only version 1 may contain', { batch: referenceOf().batch }],
  ['no producer', { producer: undefined }],
  ['an empty producer', { producer: '' }],
  ['a producer that is too long', { producer: 'p'.repeat(61) }],
  ['a producer with forbidden characters', { producer: 'a b' }],
  ['no blob', { blob: undefined }],
  ['a blob of another workload', { blob: 'other/a.ndjson' }],
  ['a blob without a folder', { blob: 'billing.ndjson' }],
  ['a blob outside of the container', { blob: 'billing/../../results/a.ndjson' }],
  ['an ETag that is too long', { etag: 'x'.repeat(101) }],
])('a reference of version 2 with %s is malformed', (_what, fields) => {
  expect(() => readReference(JSON.stringify({ ...blobReference, ...fields }))).toThrow(MalformedMessageError);
});

test('escapes do not change the meaning of a message, and are written again', () => {
  const text = fixture('result-escaped');
  const result = readResult(text);

  expect(text).toMatch(/^[ -~\n]*$/);
  expect(result.chunks[0]?.header.causes).toEqual({ 'rejected: Reject: a" \uffff b, \u{1f600}': 1 });
  expect(asciiJson(result)).toContain(String.raw`{"rejected: Reject: a\" \uffff b, \ud83d\ude00":1}`);
});

test('unknown fields are ignored', () => {
  expect(readReference(JSON.stringify({ ...referenceOf(), colour: 'blue' }))).toEqual(referenceOf());
});

test('a newer version is left to a newer consumer, whatever else it contains', () => {
  expect(() => readReference('{"v":3}')).toThrow(NewerContractError);
  expect(() => readResult('{"v":2}')).toThrow(NewerContractError);
  expect(() => readResult('{"v":3,"chunks":7}')).toThrow(NewerContractError);
});

test.each<[string, string]>([
  ['no JSON', '{"v":1'],
  ['no object', '7'],
  ['no version', '{}'],
  ['a version that never existed', '{"v":0}'],
  ['a path as the chunk', JSON.stringify({ ...referenceOf(), chunk: '../../secrets' })],
  ['a chunk with a character that row keys refuse', JSON.stringify({ ...referenceOf(), chunk: 'a#b' })],
  ['an arbitrary text as the batch', JSON.stringify({ ...referenceOf(), batch: 'open' })],
  ['another container', JSON.stringify({ ...referenceOf(), container: 'inbox' })],
  ['a negative offset', JSON.stringify({ ...referenceOf(), offset: -1 })],
  ['a digest of another algorithm', JSON.stringify({ ...referenceOf(), digest: 'md5:abc' })],
])('a reference with %s is malformed', (_what, text) => {
  expect(() => readReference(text)).toThrow(MalformedMessageError);
});

test('a result without a chunk is malformed', () => {
  const result = { v: 1, workload: 'billing', queue: 'q', chunks: [], operations: {}, at: '' };
  const chunks = [{ batch: referenceOf().batch, chunk: '000000', header: headerOf() }];

  expect(() => readResult(JSON.stringify(result))).toThrow(MalformedMessageError);
  expect(readResult(JSON.stringify({ ...result, chunks })).chunks).toHaveLength(1);
});
