import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../../../../cli/process/exit-codes.ts';
import { run } from '../../world.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-cli-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('a download', () => {
  const pages = {
    'GET batches/b/results?format=ndjson': {
      ...{
        text: '1\n',
        headers: { link: '</api/batches/b/results?from=1>; rel="next"', 'sluice-batch-state': 'running' },
      },
    },
    'GET batches/b/results?from=1': { text: '2\n', headers: { 'sluice-batch-state': 'running' } },
  };

  it('joins all pages, and reports that the batch is not finished', async () => {
    const { out, err } = await run('results b', { ...pages });
    expect([out, err]).toEqual(['1\n2\n', 'The batch is running: the output contains only what is finished so far.\n']);
  });

  it('into a file leaves no partial file after an error', async () => {
    expect((await run('results b --out r.ndjson', { ...pages }, { folder })).code).toBe(EXIT.done);
    expect(await readFile(join(folder, 'r.ndjson'), 'utf8')).toBe('1\n2\n');
    const broken = { ...pages, 'GET batches/b/results?from=1': { status: 500 } };
    expect((await run('results b --out half.ndjson', broken, { folder })).code).toBe(EXIT.failed);
    expect((await readdir(folder)).filter((name) => name.startsWith('half'))).toEqual([]);
  });

  it('of a report as a table cannot control the terminal', async () => {
    const row = '{"key":"a\\u001b[2J","value":"1\\n  b  2"}\n';
    const { out } = await run('report b', { 'GET batches/b/report?format=ndjson': { text: row } });
    expect(out).toContain('a\\x1b[2J  1\n          b  2\n');
  });

  it('of a report can be that of an earlier revision', async () => {
    const answers = { 'GET batches/b/report?revision=2&format=csv': { text: 'x' } };
    expect((await run('report b --format csv --revision 2', answers)).out).toBe('x');
  });
});
