import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { readRecords } from '../../../../demo/verify/read-records.ts';

const folder = mkdtempSync(join(tmpdir(), 'sluice-records-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function readAs(name: string, content: string | Buffer): Promise<unknown[]> {
  const file = join(folder, name);
  writeFileSync(file, content);
  const found: unknown[] = [];
  for await (const record of readRecords(file)) found.push(record);
  return found;
}

const lines = '{"a":"1\u2028"}\r\n\n{"a":"2"}';
const records = [{ a: '1\u2028' }, { a: '2' }];
const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9]);
const frames = [zstdCompressSync(lines.slice(0, 5)), skippable, zstdCompressSync(lines.slice(5))];

describe('the records of a file', () => {
  it.each<[name: string, content: string | Buffer]>([
    ['a.ndjson', lines],
    ['a.jsonl', `${lines}\n`],
    ['a.json', JSON.stringify(records)],
    ['a.csv', 'a\r\n"1\u2028"\r\n2\r\n'],
    ['a.ndjson.gz', gzipSync(lines)],
    ['a.ndjson.br', brotliCompressSync(lines)],
    ['a.NDJSON.ZST', Buffer.concat(frames)],
  ])('are read from %s', async (name, content) => {
    expect(await readAs(name, content)).toEqual(records);
  });

  it('are read from quoted fields with commas, quotes and line ends', async () => {
    expect(await readAs('b.csv', 'a,b\n"x, ""y""\nz",\n,2\n')).toEqual([
      { a: 'x, "y"\nz', b: '' },
      { a: '', b: '2' },
    ]);
  });
});
