import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { takeDataFolder } from '../../../local/data-folder.ts';

/** Above the largest process id of Linux and macOS. */
const NO_PROCESS = 4_194_305;

let path: string;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'sluice-data-'));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

it('refuses a folder that another running process uses', async () => {
  writeFileSync(join(path, 'pid'), String(process.ppid));
  await expect(takeDataFolder(path, false)).rejects.toThrow(
    `Process ${process.ppid} is running with the data in ${path}: stop it first`,
  );
});

it.each(['', 'no number', String(NO_PROCESS)])('takes over the folder if the lock contains "%s"', async (owner) => {
  writeFileSync(join(path, 'pid'), owner);
  mkdirSync(join(path, 'app'));
  const folder = await takeDataFolder(path, true);
  expect(readFileSync(join(path, 'pid'), 'utf8')).toBe(String(process.pid));
  expect(existsSync(folder.app)).toBe(false);
  await folder.release();
  expect(existsSync(join(path, 'pid'))).toBe(false);
});

it.each([true, false])('keeps the data of the last stack only with --keep: %s', async (keep) => {
  const data = join(path, 'stack', 'data');
  mkdirSync(data, { recursive: true });
  await takeDataFolder(path, keep);
  expect(existsSync(data)).toBe(keep);
});
