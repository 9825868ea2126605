import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../../cli/process/exit-codes.ts';
import { run } from '../world.ts';

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
});
