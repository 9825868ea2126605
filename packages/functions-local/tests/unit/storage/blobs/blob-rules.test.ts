import { describe, expect, test } from 'vitest';
import { BLOB_RULES } from '../../../../src/storage/blobs/blob-rules.ts';
import { createBlockLedger } from '../../../../src/storage/blobs/blocks.ts';
import { createDeletedNames } from '../../../../src/storage/rules/deleted-names.ts';
import { type Given, refusedBy, requestOf } from '../requests.ts';

const refused = (given: Given): string | undefined => refusedBy(BLOB_RULES, requestOf('blob', given));
const idOf = (text: string): string => Buffer.from(text).toString('base64');
const list = (...ids: string[]): string =>
  `<?xml version="1.0"?><BlockList>${ids.map((id) => `<Latest>${id}</Latest>`).join('')}</BlockList>`;

describe('names and metadata', () => {
  test.each([
    ['abc', undefined],
    ['$web', undefined],
    ['ab', 'container-name 400 OutOfRangeInput'],
    ['a--b', 'container-name 400 InvalidResourceName'],
    ['a%7Cb', 'container-name 400 InvalidResourceName'],
  ])('container %s: refused by %s (undefined: accepted)', (path, expected) => {
    expect(refused({ path: `${path}?restype=container` })).toBe(expected);
  });

  test.each([
    ['x'.repeat(1_024), undefined],
    [encodeURIComponent('\u20AC'.repeat(1_024)), undefined],
    ['x'.repeat(1_025), 'blob-name-length 400 OutOfRangeInput'],
    [Array.from({ length: 254 }, () => 'a').join('/'), undefined],
    [Array.from({ length: 255 }, () => 'a').join('/'), 'blob-name-segments 400 OutOfRangeInput'],
  ])('blob %#', (name, expected) => {
    expect(refused({ path: `files/${name}` })).toBe(expected);
    expect(refused({ method: 'GET', path: `files/${name}` })).toBe(expected);
  });

  test.each([
    [{ 'x-ms-meta-a': 'x' }, undefined],
    [{ 'x-ms-meta-a-b': 'x' }, 'blob-metadata-names 400 InvalidMetadata'],
    [{ 'x-ms-meta-a': '\u00ff' }, 'blob-metadata-names 400 InvalidMetadata'],
    [{ 'x-ms-meta-a': 'x'.repeat(8_192) }, 'blob-metadata-size 400 MetadataTooLarge'],
  ])('metadata %j: refused by %s (undefined: accepted)', (headers, expected) => {
    expect(refused({ path: 'files/a', headers })).toBe(expected);
    expect(refused({ path: 'files/a?comp=blocklist', headers })).toBe(expected);
    expect(refused({ path: 'files/a?comp=metadata', headers })).toBe(expected);
  });
});

describe('blocks', () => {
  const INVALID = 'block-id 400 InvalidQueryParameterValue';
  test.each([
    [idOf('block-1'), undefined],
    [idOf('x'.repeat(64)), undefined],
    [idOf('x'.repeat(65)), INVALID],
    ['not base64!', INVALID],
    ['', INVALID],
  ])('a block named %s', (id, expected) => {
    expect(refused({ path: `files/a?comp=block&blockid=${encodeURIComponent(id)}` })).toBe(expected);
  });

  test('50,000 blocks in a list', () => {
    const ids = Array.from({ length: 50_001 }, () => 'AAAA');
    expect(refused({ path: 'files/a?comp=blocklist', body: list(...ids.slice(1)) })).toBeUndefined();
    expect(refused({ path: 'files/a?comp=blocklist', body: list(...ids) })).toBe(
      'block-count 409 BlockCountExceedsLimit',
    );
  });

  test('a list with an id that is not base64', () => {
    expect(refused({ path: 'files/a?comp=blocklist', body: list('no!') })).toBe('block-list-ids 400 InvalidBlockId');
  });

  const put = requestOf('blob', { path: 'files/a' });
  const block = (id: string) =>
    requestOf('blob', { path: `files/a?comp=block&blockid=${encodeURIComponent(idOf(id))}` });
  const commit = (...ids: string[]) =>
    requestOf('blob', { path: 'files/a?comp=blocklist', body: list(...ids.map(idOf)) });

  test('all uncommitted ids of a blob must have the same length, until they are committed', () => {
    const ledger = createBlockLedger();
    ledger.done(block('one'));
    expect(ledger.refusal(block('two'))).toBeUndefined();
    expect(ledger.refusal(block('three'))).toMatchObject({ rule: 'block-id-lengths', code: 'InvalidBlobOrBlock' });
    ledger.done(commit('one'));
    expect(ledger.refusal(block('three'))).toBeUndefined();
  });

  test('Put Blob drops the uncommitted blocks, and a block that is staged again is valid again', () => {
    const ledger = createBlockLedger();
    ledger.done(block('one'));
    ledger.done(block('two'));
    ledger.done(put);
    ledger.done(block('two'));
    expect(ledger.refusal(commit('one', 'two'))).toMatchObject({ rule: 'dropped-blocks', code: 'InvalidBlockList' });
    expect(ledger.refusal(commit('two'))).toBeUndefined();
  });

  test('100,000 uncommitted blocks', () => {
    const ledger = createBlockLedger();
    for (let at = 0; at < 100_000; at += 1) ledger.done(block(String(at).padStart(6, '0')));
    expect(ledger.refusal(block('000000'))).toBeUndefined();
    expect(ledger.refusal(block('100000'))).toMatchObject({
      rule: 'uncommitted-blocks',
      code: 'BlockCountExceedsLimit',
    });
  });
});

describe('names of deleted resources', () => {
  const SECOND = 1_000;
  test.each([
    ['queue', 'work', 'work', 30, 'QueueBeingDeleted'],
    ['blob', 'files?restype=container', 'files?restype=container', 30, 'ContainerBeingDeleted'],
    ['table', "Tables('Rows')", 'Tables', 40, 'TableBeingDeleted'],
  ] as const)('a %s cannot be created again immediately', (service, deleted, created, seconds, code) => {
    const names = createDeletedNames();
    const body = service === 'table' ? { TableName: 'rows' } : '';
    const create = requestOf(service, { method: service === 'table' ? 'POST' : 'PUT', path: created, body });
    names.done(requestOf(service, { method: 'DELETE', path: deleted }), 0);
    expect(names.refusal(create, seconds * SECOND - 1)).toMatchObject({
      rule: 'name-being-deleted',
      status: 409,
      code,
    });
    expect(names.refusal(create, seconds * SECOND)).toBeUndefined();
  });
});
