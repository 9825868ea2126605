import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { watchFiles } from '../../../../local/dev/watch-files.ts';

let root: string;
let changes: number;
let stop: () => void;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sluice-watch-'));
  mkdirSync(join(root, 'workloads/billing'), { recursive: true });
  writeFileSync(join(root, 'workloads/billing/rate.ts'), '0');
  changes = 0;
  stop = watchFiles(root, { folders: ['workloads', 'shared'], files: ['host.json'] }, () => changes++);
});
afterEach(() => {
  stop();
  rmSync(root, { recursive: true });
});

/** Makes the change and waits for the notification. */
async function isSeen(edit: () => void): Promise<void> {
  const before = changes;
  edit();
  await vi.waitFor(() => expect(changes).toBeGreaterThan(before), { timeout: 10_000, interval: 5 });
}

/** Like editors that write safely. */
function replace(name: string, text: string): void {
  writeFileSync(join(root, 'new'), text);
  renameSync(join(root, 'new'), join(root, name));
}

it('reports each edit of a file that is replaced, and of one that is overwritten', async () => {
  for (const text of ['1', '2', '3']) {
    await isSeen(() => replace('workloads/billing/rate.ts', text));
    await isSeen(() => writeFileSync(join(root, 'workloads/billing/rate.ts'), `${text}.5`));
  }
  await isSeen(() => replace('host.json', '{}'));
});

it('reports files in folders that are created later, or deleted and created again', async () => {
  await isSeen(() => mkdirSync(join(root, 'workloads/new/deep'), { recursive: true }));
  await isSeen(() => writeFileSync(join(root, 'workloads/new/deep/map.ts'), '1'));
  await isSeen(() => rmSync(join(root, 'workloads'), { recursive: true }));
  await isSeen(() => mkdirSync(join(root, 'workloads/new'), { recursive: true }));
  await isSeen(() => writeFileSync(join(root, 'workloads/new/map.ts'), '1'));
});
