import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { changedFiles, isOfApp, readFiles, writeFiles } from '../../../local/app-files.ts';
import { createAppCopies } from '../../../local/dev/app-copies.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'app-files-'));
  await mkdir(join(folder, 'source/sub'), { recursive: true });
  await writeFile(join(folder, 'source/a.ts'), 'a');
  await writeFile(join(folder, 'source/sub/b.ts'), 'b');
  await writeFile(join(folder, 'host.json'), '{}');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const files = (entries: Record<string, string>) =>
  new Map(Object.entries(entries).map(([name, text]) => [name, Buffer.from(text)]));

it('reads folders and files, without missing ones and files of editors', async () => {
  for (const name of ['.a.ts.swp', 'a.ts~', 'README.md']) await writeFile(join(folder, 'source', name), 'x');
  expect([...readFiles(folder, ['source', 'host.json', 'local.settings.json']).keys()].sort()).toEqual([
    'host.json',
    'source/a.ts',
    'source/sub/b.ts',
  ]);
});

it.each([
  ['billing.ts', true],
  ['billing/rate.ts', true],
  ['billing\\rate.ts', true],
  ['.git/x.ts', false],
  ['billing/.rate.ts.swp', false],
  ['rate.ts~', false],
  ['README.md', false],
])('recognizes whether %s is a file of the app: %s', (path, expected) => expect(isOfApp(path)).toBe(expected));

it('finds added, changed and deleted files', () => {
  const before = files({ same: '1', changed: '1', deleted: '1' });
  expect(changedFiles(before, files({ same: '1', changed: '2', added: '1' }))).toEqual(['added', 'changed', 'deleted']);
});

it('writes only the difference', async () => {
  const target = join(folder, 'copy');
  const first = readFiles(folder, ['source']);
  writeFiles(target, first);
  const untouched = await stat(join(target, 'source/a.ts'));
  writeFiles(target, files({ 'source/a.ts': 'a', 'source/c.ts': 'c' }), first);
  expect(await readdir(join(target, 'source'))).toEqual(['a.ts', 'c.ts', 'sub']);
  expect(await readdir(join(target, 'source/sub'))).toEqual([]);
  expect((await stat(join(target, 'source/a.ts'))).mtimeMs).toBe(untouched.mtimeMs);
});

it('never changes the copy in which the app runs, however many edits fail', async () => {
  const copies = createAppCopies(join(folder, 'copies'));
  const write = (text: string): string => copies.next(files({ 'a.ts': text }));
  const running = write('1');
  copies.started();
  const broken = [write('2'), write('3')];
  expect(broken).not.toContain(running);
  expect(await readFile(join(running, 'a.ts'), 'utf8')).toBe('1');
  const mended = write('4');
  copies.started();
  expect(await readFile(join(mended, 'a.ts'), 'utf8')).toBe('4');
  expect(write('5')).toBe(running);
  expect(await readFile(join(mended, 'a.ts'), 'utf8')).toBe('4');
});
