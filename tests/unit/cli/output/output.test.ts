import { execFileSync } from 'node:child_process';
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
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

const answers = { 'GET batches/b/report?format=csv': { text: 'key,n\r\na,1\r\n' } };

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
