import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBlocks, readGroups } from '../../../../../bench/contenders/script/read-blocks.ts';
import { endScript, runScript } from '../../../../../bench/contenders/script/script.ts';
import { reportDigest } from '../../../../../bench/measures/digest.ts';
import { usageLines, writeUpload } from '../../../../../bench/stack/data.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-script-'));
});
afterAll(async () => {
  await endScript();
  await rm(folder, { recursive: true, force: true });
});

async function fileOf(text: string): Promise<string> {
  const file = join(folder, 'upload.zst');
  await writeFile(file, zstdCompressSync(text));
  return file;
}

async function listOf<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const value of values) list.push(value);
  return list;
}

describe('an upload is read', () => {
  it('in blocks of whole lines, however long it is', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => `{"n":${index},"text":"Käse"}`);
    const blocks = await listOf(readBlocks(await fileOf(`${lines.join('\n')}\n`)));
    const texts = blocks.map((block) => Buffer.from(block).toString());
    expect(blocks.length).toBeGreaterThan(1);
    expect(texts.every((text) => text.endsWith('\n'))).toBe(true);
    expect(texts.join('')).toBe(`${lines.join('\n')}\n`);
  });

  it('with a line longer than a block, and a last line without an end', async () => {
    const lines = [`"${'x'.repeat(600_000)}"`, '1', '2'];
    const blocks = await listOf(readBlocks(await fileOf(lines.join('\n'))));
    expect(blocks.map((block) => Buffer.from(block).toString()).join('')).toBe(lines.join('\n'));
  });

  it('in groups of lines, the last of them shorter', async () => {
    const groups = await listOf(readGroups(await fileOf('1\n2\n3\n\n4\n5\n'), 2));
    expect(groups).toEqual([['1', '2'], ['3', '4'], ['5']]);
    expect(await listOf(readGroups(await fileOf(''), 2))).toEqual([]);
  });
});

describe('the plain script', () => {
  it('creates the same report with one thread and with two, and in a second run', async () => {
    const file = join(folder, 'usage.zst');
    await writeUpload(file, 4_000);
    const alone = await runScript(file, 0);
    expect(alone.items).toBe(usageLines(4_000).length);
    expect(alone.report.length).toBeGreaterThan(100);
    for (const run of [await runScript(file, 2), await runScript(file, 2)]) {
      expect(run.items).toBe(alone.items);
      expect(reportDigest(run.report)).toBe(reportDigest(alone.report));
    }
  });
});
