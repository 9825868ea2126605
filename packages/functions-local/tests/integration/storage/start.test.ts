import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startStorage } from '../../../src/stack/storage/start-storage.ts';
import type { ClientOptions } from '../../../src/storage/index.ts';

const children = (): number => process.getActiveResourcesInfo().filter((resource) => resource === 'ProcessWrap').length;

test('a storage whose first client cannot be added stops Azurite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'storage-start-'));
  const client: ClientOptions = {
    get pages(): never {
      throw new Error('no pages');
    },
  };
  const before = children();
  await expect(startStorage({ folder, logFile: join(folder, 'azurite.log'), client })).rejects.toThrow('no pages');
  await expect.poll(children).toBe(before);
  await rm(folder, { recursive: true, force: true });
});
