import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { STALL_FILE } from '../app/items.ts';
import { createStalling } from './stalling.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-stalling-'));
});
afterEach(() => rm(folder, { recursive: true }));

const isRequested = (): Promise<boolean> =>
  access(join(folder, STALL_FILE)).then(
    () => true,
    () => false,
  );

/** Takes the request for a process that has ended. */
async function takeAndDie(): Promise<void> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  await rename(join(folder, STALL_FILE), join(folder, `${STALL_FILE}.${child.pid}`));
}

test('a stall is requested again if its process has ended before its time', async () => {
  const stalling = createStalling(folder);
  await stalling.request();

  await takeAndDie();

  await expect.poll(isRequested, { timeout: 10_000 }).toBe(true);
  stalling.stop();
});
