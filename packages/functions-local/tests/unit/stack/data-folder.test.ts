import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { emptyDataFolder } from '../../../src/stack/data-folder.ts';

it('loses its data and logs, and keeps ports and keys', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'data-folder-'));
  try {
    for (const name of ['azurite', 'host/timers', 'logs']) await mkdir(join(folder, name), { recursive: true });
    for (const name of ['azurite/blobs', 'host/durable.sqlite', 'host/keys.json', 'logs/host-1.log', 'ports.json'])
      await writeFile(join(folder, name), '{}');
    emptyDataFolder(folder);
    const left = (await readdir(folder, { recursive: true })).map((name) => name.replaceAll('\\', '/')).sort();
    expect(left).toEqual(['host', 'host/keys.json', 'ports.json']);
    emptyDataFolder(join(folder, 'none'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
