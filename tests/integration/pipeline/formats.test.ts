import { promisify } from 'node:util';
import { brotliCompress, deflate, gzip, zstdCompress } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finished, report, submit } from '../../helpers/client.ts';
import { csv, ndjson, totalsOf, transactions } from '../../helpers/data/transactions.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

const ITEMS = transactions(7);
const FORMATS = {
  'application/x-ndjson': ndjson(ITEMS),
  'application/json': JSON.stringify(ITEMS),
  'text/csv': csv(ITEMS),
};
const half = (text: string, part: 0 | 1): string => text.slice(part * 100, part === 0 ? 100 : undefined);
const [gz, br, zl, zs] = [gzip, brotliCompress, deflate, zstdCompress].map((compress) => promisify(compress));
type Encode = (text: string) => Promise<Buffer>;
const inOne = (compress: unknown): Encode => compress as Encode;
/** Two consecutive frames are one upload, too. */
const inTwo =
  (compress: unknown): Encode =>
  async (text) =>
    Buffer.concat([await inOne(compress)(half(text, 0)), await inOne(compress)(half(text, 1))]);
const ENCODINGS: [string, string, Encode][] = [
  ['identity', '', async (text) => Buffer.from(text)],
  ['gzip', 'gzip', inOne(gz)],
  ['gzip in two members', 'gzip', inTwo(gz)],
  ['deflate', 'deflate', inOne(zl)],
  ['br', 'br', inOne(br)],
  ['zstd', 'zstd', inOne(zs)],
  ['zstd in two frames', 'zstd', inTwo(zs)],
];

describe('an upload becomes the same report in every format and encoding', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(() => stack?.stop());

  describe.each(Object.entries(FORMATS))('%s', (type, text) => {
    it.each(ENCODINGS)('%s', async (_name, encoding, encode) => {
      const headers = { 'content-type': type, ...(encoding === '' ? {} : { 'content-encoding': encoding }) };

      const { id } = await submit(stack, await encode(text), headers);
      const batch = await finished(stack, id);

      expect(batch).toMatchObject({ state: 'completed', counts: { accepted: 7, succeeded: 7, dead: 0, pending: 0 } });
      expect(await report(stack, id)).toEqual({ 'acme|EUR': totalsOf(7) });
    });
  });
});
