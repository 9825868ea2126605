/** Several cells side by side: most of a run is waiting. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startAzurite } from '../../../local/azurite.ts';
import { freePort } from '../../../local/ports.ts';
import { accountKey, type Cell, startCell } from './cell.ts';

export interface Cells {
  cells: Cell[];
  stop(): Promise<void>;
}

/** Starts `count` cells on one Azurite, with an account each. */
export async function startCells(count: number, appFolder: string, folder: string): Promise<Cells> {
  const names = Array.from({ length: count }, (_, index) => `cell${index}`);
  const ports = { blob: await freePort(), queue: await freePort(), table: await freePort() };
  process.env.AZURITE_ACCOUNTS = names.map((name) => `${name}:${accountKey(name)}`).join(';');
  await mkdir(join(folder, 'azurite'), { recursive: true });
  const azurite = await startAzurite({ folder: join(folder, 'azurite'), ports, logFile: join(folder, 'azurite.log') });
  const cells = await Promise.all(names.map((name) => startCell({ name, appFolder, folder, azurite: ports })));
  return {
    cells,
    stop: async () => {
      await Promise.all(cells.map((cell) => cell.stop()));
      await azurite.stop();
    },
  };
}
