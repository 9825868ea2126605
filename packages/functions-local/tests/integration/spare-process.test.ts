import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startProcess } from '../../src/stack/process/process.ts';
import { startSpare } from '../../src/stack/process/spare-process.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'local-process-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a spare process', () => {
  const startIn = (spare: ReturnType<typeof startSpare>) => {
    const script = join(folder, 'child.mjs');
    const facts = 'process.argv[2], process.env.COLOUR, process.cwd(), globalThis.loaded';
    writeFileSync(script, `console.log('ready', ${facts}); setInterval(() => {}, 1_000);`);
    const { promise, resolve } = Promise.withResolvers<string>();
    const child = startProcess({
      ...{ name: 'Child', script, args: ['seven'], env: { COLOUR: 'red' }, cwd: folder, spare },
      logFile: join(folder, 'logs', 'child.log'),
      readReady: (line) => /^ready (.*)/.exec(line)?.[1],
    });
    void child.then(async (each) => {
      await each.stop();
      resolve(each.ready);
    }, resolve);
    return promise;
  };
  const prepare = () => {
    const file = join(folder, 'load.mjs');
    writeFileSync(file, 'globalThis.loaded = process.pid;');
    return startSpare([file]);
  };

  it('runs a script like a new process, with the loaded modules', async () => {
    expect(await startIn(prepare())).toMatch(new RegExp(`^seven red ${folder} \\d+$`));
  });

  it('that has ended or was used is replaced by a new process', async () => {
    const spare = prepare();
    spare.end();
    expect(await startIn(spare)).toBe(`seven red ${folder} undefined`);
    const used = prepare();
    await startIn(used);
    expect(await startIn(used)).toBe(`seven red ${folder} undefined`);
  });
});
