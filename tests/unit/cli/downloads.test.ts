import { execFileSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../cli/process/exit-codes.ts';
import { toJsonArray } from '../../../cli/text/json-array.ts';
import { run } from './world.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-out-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const row = '{"key":"a","value":{"n":1}}\n';
const letter = { index: 1, line: 2, reason: 'invalid', cause: 'c, d', chunk: '0', attempts: [], version: 1 };
const error = { name: 'E', message: '=1+1' };
const groups = { batch: 'b', count: 0, groups: [], otherCauses: 0 };
const nextPage = { link: '</api/batches/b/dead-letters?format=ndjson&after=1>; rel="next"' };
const answers = {
  'GET batches/b/report?format=ndjson': { text: row },
  'GET batches/b/report?format=csv': { text: 'key,n\r\na,1\r\n' },
  'GET batches/b/report?format=json': { text: '{"items":[]}' },
  'GET batches/b/results?format=ndjson': { text: '1\n{"a":2}\n' },
  'GET batches/b/results?format=csv': { text: 'value\r\n1\r\n' },
  'GET batches/b/dead-letters': { json: groups },
  'GET batches/b/dead-letters?format=ndjson': {
    text: `${JSON.stringify({ ...letter, error, item: { id: 'x' } })}\n`,
    headers: nextPage,
  },
  'GET batches/b/dead-letters?format=ndjson&after=1': {
    text: `${JSON.stringify({ ...letter, index: 9, line: null, error })}\n`,
  },
};
const LETTERS_CSV =
  'index,line,reason,cause,error,message,item\r\n1,2,invalid,"c, d",E,\'=1+1,"{""id"":""x""}"\r\n9,,invalid,"c, d",E,\'=1+1,\r\n';
const TABLE = '  key  n\n  a    1\n';

describe('the form of a download', () => {
  it.each([
    ['report b --out r.csv', 'key,n\r\na,1\r\n'],
    ['report b --out r.JSON', '{"items":[]}'],
    ['report b --out r.ndjson', row],
    ['report b --out r.jsonl', row],
    ['report b --out r.txt', TABLE],
    ['report b --out r', TABLE],
    ['report b --out r.csv --format table', TABLE],
    ['report b --out r.csv --json', '{"items":[]}'],
    ['results b --out r.csv', 'value\r\n1\r\n'],
    ['results b --out r.json', '[\n1,\n{"a":2}\n]\n'],
    ['results b --out r.ndjson', '1\n{"a":2}\n'],
    ['results b --out r.dat', '1\n{"a":2}\n'],
    ['dead-letters b --out r.csv', LETTERS_CSV],
    ['dead-letters b --out r.json', `${JSON.stringify(groups)}\n`],
    ['dead-letters b --out r.txt', 'No dead letters.\n'],
  ])('follows the extension of the file unless an option sets the format: %s', async (args, text) => {
    const name = /--out (\S+)/.exec(args)?.[1] ?? '';
    expect(await run(args, answers, { folder })).toMatchObject({ code: EXIT.done, out: '', err: '' });
    expect(await readFile(join(folder, name), 'utf8')).toBe(text);
  });

  it.each([
    ['report b -o csv', 'key,n\r\na,1\r\n'],
    ['report b -o json', '{"items":[]}'],
    ['report b -o table', TABLE],
    ['report b --out -', TABLE],
    ['results b -o csv', 'value\r\n1\r\n'],
    ['results b --json', '[\n1,\n{"a":2}\n]\n'],
    ['results b --out -', '1\n{"a":2}\n'],
    ['dead-letters b -o csv', LETTERS_CSV],
    ['dead-letters b -o json', `${JSON.stringify(groups)}\n`],
    ['dead-letters b --format json --out -', `${JSON.stringify(groups)}\n`],
  ])('%s is written to standard output', async (args, text) => {
    expect(await run(args, answers, { folder })).toMatchObject({ code: EXIT.done, out: text });
  });

  it('refuses --format and --output that differ', async () => {
    const { code, err, asked } = await run('report b --out r.csv --output json --format csv', answers, { folder });
    expect([code, asked, err]).toEqual([
      EXIT.usage,
      [],
      expect.stringContaining('--format csv: cannot be combined with'),
    ]);
  });

  it.each([
    [[], '[]\n'],
    [[''], '[]\n'],
    [['1'], '[\n1\n]\n'],
    [['1\n2\n', '', '"a\\nb"\n', '4'], '[\n1,\n2,\n"a\\nb",\n4\n]\n'],
  ])('joins the pages %j into one JSON array', async (pages, text) => {
    const given = async function* () {
      for (const page of pages) yield new Response(page);
    };
    let out = '';
    for await (const answer of toJsonArray(given())) out += await answer.text();
    expect(out).toBe(text);
    expect(JSON.parse(out)).toBeInstanceOf(Array);
  });
});

describe('a file of a download', () => {
  it('replaces a regular file or the target of a link, but not a folder, pipe or device', async () => {
    await writeFile(join(folder, 'plain.csv'), 'old');
    await symlink('plain.csv', join(folder, 'link.csv'));
    await mkdir(join(folder, 'folder.csv'));
    await symlink('folder.csv', join(folder, 'to-folder.csv'));
    await symlink('/dev/null', join(folder, 'to-device.csv'));
    await symlink('nowhere', join(folder, 'to-nowhere.csv'));
    execFileSync('mkfifo', [join(folder, 'pipe.csv')]);
    const kindsBefore = await kinds();

    expect((await run('report b --out link.csv', answers, { folder })).code).toBe(EXIT.done);
    expect(await readFile(join(folder, 'plain.csv'), 'utf8')).toBe('key,n\r\na,1\r\n');
    for (const name of ['folder.csv', 'to-folder.csv', 'to-device.csv', 'to-nowhere.csv', 'pipe.csv', '/dev/null']) {
      const { code, err, asked } = await run(`report b --out ${name}`, answers, { folder });
      expect([name, code, err, asked]).toEqual([name, EXIT.usage, expect.stringContaining(`--out: `), []]);
      expect(err).toContain(name);
    }
    expect(await kinds()).toEqual(kindsBefore);
  });

  it('fails with a usage error if the file cannot be written', async () => {
    const { code, err, asked } = await run('report b --out no/such/r.csv', answers, { folder });
    expect([code, asked, err]).toEqual([
      EXIT.usage,
      [],
      expect.stringContaining('cannot write no/such/r.csv (ENOENT)'),
    ]);
  });

  const kinds = async (): Promise<string[]> => {
    const names = (await readdir(folder)).filter((name) => /folder|device|nowhere|pipe|link|part/.test(name)).sort();
    return Promise.all(
      names.map(async (name) => {
        const facts = await lstat(join(folder, name));
        return `${name} ${facts.isSymbolicLink()} ${facts.isDirectory()} ${facts.isFIFO()}`;
      }),
    );
  };
});
