import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../../infra/bicep.ts';
import { run } from '../world.ts';
import { VERSION, writeApp } from './app.ts';

describe('sluice doctor', () => {
  it('finds nothing in this repository', async () => {
    expect(await run('doctor', {}, { folder: ROOT })).toMatchObject({
      ...{ code: 0, out: `No differences from sluice ${VERSION}.\n`, err: '', asked: [] },
    });
  });

  it('finds nothing in an app whose files were generated', async () => {
    const folder = writeApp();
    expect((await run('azure generate', {}, { folder })).code).toBe(0);
    expect(await run('doctor', {}, { folder })).toMatchObject({ code: 0, err: '' });
  });

  it('prints each difference with what mends it, and exits with 1', async () => {
    const folder = writeApp();
    await run('azure generate', {}, { folder });
    writeFileSync(join(folder, 'infra/pools.json'), '[]');
    const { code, out } = await run('doctor', {}, { folder, nodeVersion: '20.0.0' });
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      'node, version: expected >=22.15, got 20.0.0',
      '  install Node.js >=22.15',
      'infra/pools.json: expected the pools default, media, as in the workloads, got nothing',
      '  npx sluice azure generate',
      '',
    ]);
  });

  it('prints one JSON document with --json', async () => {
    const folder = writeApp();
    await run('azure generate', {}, { folder });
    rmSync(join(folder, 'host.json'));
    const { code, out } = await run('doctor --json', {}, { folder });
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual({
      ...{ folder, version: VERSION },
      findings: [{ file: 'host.json', key: '', expected: 'the file', found: 'nothing', fix: expect.any(String) }],
    });
  });

  it('requires the folder of an app', async () => {
    const { code, err } = await run('doctor', {}, { folder: tmpdir() });
    expect([code, err]).toEqual([1, expect.stringContaining('doctor: expected a package.json in')]);
  });
});
