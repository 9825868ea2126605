/** Several cells run at the same time, because most of a run is waiting. */

import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type StorageAccount, startStorage } from 'functions-local';
import { type Cell, startCell } from './cell.ts';

export interface Cells {
  cells: Cell[];
  stop(): Promise<void>;
}

/** Starts `count` cells on one Azurite, with an account each. */
export async function startCells(count: number, appFolder: string, folder: string): Promise<Cells> {
  const accounts = Array.from({ length: count }, (_, index) => accountOf(`cell${index}`));
  await mkdir(join(folder, 'azurite'), { recursive: true });
  const logFile = join(folder, 'azurite.log');
  const storage = await startStorage({ folder: join(folder, 'azurite'), logFile, accounts });
  const cells = await Promise.all(accounts.map((account) => startCell({ account, appFolder, folder, storage })));
  return {
    cells,
    stop: async () => {
      await Promise.all(cells.map((cell) => cell.stop()));
      await storage.stop();
    },
  };
}

/** Azurite accepts any key for a configured account. */
const accountOf = (name: string): StorageAccount => ({ name, key: createHash('sha256').update(name).digest('base64') });
