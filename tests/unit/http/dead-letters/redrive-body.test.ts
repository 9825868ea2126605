import { describe, expect, it } from 'vitest';
import { redriveBodyOf } from '../../../../shared/http/dead-letters/redrive-body.ts';
import { bodyReadOf } from '../../../../shared/http/edge/request/json-body.ts';
import { requestBody } from '../../../../shared/http/edge/request/request-body.ts';
import { requestFor } from '../requests.ts';

const MAX_RECORD_BYTES = 256 * 1024;
const MiB = 1024 * 1024;
const read = (body: string) => {
  const request = requestFor('x', {}, body);
  return redriveBodyOf(request, requestBody(request), MAX_RECORD_BYTES);
};
const corrected = (item: string): string => `{"corrected":[{"index":0,"item":${item}}]}`;

describe('a corrected item', () => {
  it.each([
    ['keeps all digits of its numbers', '{"n":12345678901234567890.10}', '{"n":12345678901234567890.10}'],
    ['keeps a member that objects treat specially', '{"__proto__":{"a":1}}', '{"__proto__":{"a":1}}'],
    ['is written on one line', '{\r\n  "a": [1,\n 2]\n}', '{   "a": [1,  2] }'],
    ['may contain brackets and quotes in its texts', '{"a":"\\"]}\\\\"}', '{"a":"\\"]}\\\\"}'],
    ['may be a single value', ' null ', 'null'],
    ['may be nested as deep as an uploaded item', `${'['.repeat(100)}${']'.repeat(100)}`, undefined],
  ])('%s', async (_what, item, stored = item) => {
    const { selection } = await read(corrected(item));
    expect(selection).toEqual({ corrected: [{ index: 0, json: stored }] });
  });

  it.each([101, 20_000])('is refused if it is nested deeper: %i levels', async (levels) => {
    await expect(read(corrected(`${'['.repeat(levels)}${']'.repeat(levels)}`))).rejects.toMatchObject({
      type: 'invalid-parameter',
      message: 'corrected[0] must have at most 101 levels, an item 100; it has more at character 119.',
    });
  });

  it.each([
    ['of single values', `[${'0,'.repeat(MAX_RECORD_BYTES / 2)}0]`],
    ['of one text', `"${'x'.repeat(MAX_RECORD_BYTES)}"`],
    ['of text with more bytes than characters', `"${'é'.repeat(MAX_RECORD_BYTES / 2)}"`],
    ['of 15.9 MB', `[${'{},'.repeat(5.3 * MiB - 100)}0]`],
  ])('is refused if it is larger than an uploaded record may be: %s', async (_what, item) => {
    await expect(read(corrected(item))).rejects.toMatchObject({
      type: 'too-large',
      message: 'corrected[0]: the item is over 262144 bytes.',
    });
  });

  it.each([
    ['without its item', '{"index":1}'],
    ['without its position', '{"item":1}'],
    ['with a negative position', '{"index":-1,"item":1}'],
    ['with another field', '{"index":1,"item":1,"x":1}'],
    ['that is no object', '5'],
  ])('is refused %s', async (_what, entry) => {
    const body = `{"corrected":[{"index":0,"item":1},${entry}]}`;
    await expect(read(body)).rejects.toMatchObject({
      type: 'invalid-parameter',
      message: expect.stringContaining('corrected[1] is invalid'),
    });
  });
});

it('a body with many corrected items gives other work turns of the event loop', async () => {
  const item = JSON.stringify({ index: 0, item: { text: 'x'.repeat(100), n: Array(50).fill(1) } });
  const body = `{"corrected":[${Array(60_000).fill(item).join(',')}]}`;
  let turns = 0;
  let isReading = true;
  const turn = (): void => {
    turns += 1;
    if (isReading) setImmediate(turn);
  };
  const request = requestFor('x', {}, body);
  setImmediate(turn);
  const { selection } = await redriveBodyOf(request, requestBody(request), MAX_RECORD_BYTES);
  isReading = false;
  expect([selection.corrected?.length, turns > 3]).toEqual([60_000, true]);
  expect((bodyReadOf(request) as { corrected: unknown[] }).corrected).toHaveLength(60_000);
});

it.each([
  ['over 100,000 corrected items', `{"corrected":[${'{"index":0,"item":0},'.repeat(100_000)}{"index":0,"item":0}]}`],
  ['no corrected items', '{"corrected":[]}'],
  ['corrected items that are not a list', '{"corrected":{"0":1}}'],
  ['corrected items beside a cause', '{"cause":"x","corrected":[{"index":0,"item":1}]}'],
  ['a missing comma', '{"corrected":[{"index":0,"item":1} {"index":1,"item":1}]}'],
  ['a missing bracket', '{"corrected":[{"index":0,"item":1}'],
  ['an unfinished text', '{"corrected":[{"index":0,"item":"a]}'],
  ['an item that is not JSON', '{"corrected":[{"index":0,"item":[1,]}]}'],
  ['a value in place of the body', '[1]'],
  ['other data after the body', '{"items":[1]} x'],
])('a body with %s is refused', async (_what, body) => {
  await expect(read(body)).rejects.toMatchObject({ type: 'invalid-parameter' });
});

it('of a repeated field the last one counts', async () => {
  const one = (n: number): string => `"corr\\u0065cted":[{"index":${n},"item":${n}}]`;
  const { selection } = await read(`{${one(1)},"items":[5],${one(2)}}`);
  expect(selection).toEqual({ items: [5], corrected: [{ index: 2, json: '2' }] });
});

it('only corrected items may make a body large', async () => {
  await expect(read(`{"items":[${'1,'.repeat(MiB)}1]}`)).rejects.toMatchObject({ type: 'too-large' });
});

it('a patch keeps all digits, and its other fields are read as they are', async () => {
  const { key, selection } = await read('{"key":"k","items":[1],"patch":{"a":1.50,"b":null}}');
  expect([key, JSON.stringify(selection)]).toEqual(['k', '{"items":[1],"patch":{"a":1.50,"b":null}}']);
});
