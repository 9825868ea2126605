import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type PartialStack, startStack } from '../../src/index.ts';

const appFolder = fileURLToPath(new URL('host/fixtures/settings-app', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-stack-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Only a host. */
const start = (): Promise<PartialStack> =>
  startStack({ folder, appFolder, settings: () => ({}), durable: false, enforceKeys: false });

describe('a stack', () => {
  it('has exclusive use of its folder until it is stopped, and every stop waits for the end', async () => {
    const first = await start();
    const [{ process }] = first.instances;
    await expect(start()).rejects.toThrow(`the folder '${folder}' is in use by another stack`);
    void first.stop();
    await first.stop();
    expect(first.instances[0].state).toBe('down');
    await expect(process.ended).resolves.toMatchObject({ expected: true });
    await (await start()).stop();
  });

  it('of which one part does not start leaves no other part running', async () => {
    const all = { folder, appFolder, settings: () => ({}), layout: { containers: [], tables: [] } };
    const refused = { UserConfig: { Namespaces: [{ Name: 'local', Queues: [{ Name: 'orders', Sessions: true }] }] } };
    await expect(startStack({ ...all, entities: refused })).rejects.toThrow(/^Service Bus broker ended with code 1/);
    // Their ports and files are free.
    const entities = { UserConfig: { Namespaces: [{ Name: 'local', Queues: [{ Name: 'orders' }] }] } };
    const stack = await startStack({ ...all, entities });
    await stack.stop();
  });

  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      'a lock that is a folder',
      () => mkdir(join(folder, 'lock.sqlite')),
      /cannot be used: unable to open database file$/,
    ],
    [
      'a lock that is something else',
      () => writeFile(join(folder, 'lock.sqlite'), 'no database, however long it is'.repeat(100)),
      /cannot be used: file is not a database$/,
    ],
    [
      'logs that are a file',
      () => writeFile(join(folder, 'logs'), ''),
      /^the folder '.*logs' cannot be created: EEXIST/,
    ],
  ])('does not start in a folder with %s', async (_, spoil, expected) => {
    await spoil();
    await expect(start()).rejects.toThrow(expected);
  });
});
