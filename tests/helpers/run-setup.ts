/** The shared resources of all files of a run: compiled code, and Azurite for files that need only storage. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LocalStorage, StorageAccount } from 'functions-local';
import type { TestProject } from 'vitest/node';
import type { OwnAccount } from './own-account.ts';

/** Maximum number of files per Azurite, which searches the blobs of all its accounts for each call. */
const ACCOUNTS_EACH = 12;

/** Runs once, before the tests; what it returns runs after them. */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-run-'));
  // Compiling takes a third of the CPU time of a process that starts Azurite or the app. The cache is not in the folder
  // that the local stack would choose, because that one outlives the run, and the app copies of tests would fill it.
  process.env.NODE_COMPILE_CACHE ??= join(folder, 'compile-cache');
  const accounts = ownAccounts(folder);
  const server = createServer((_request, response) => {
    accounts.next().then(
      (account) => response.end(JSON.stringify(account)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  provide('ownAccounts', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.closeAllConnections();
    server.close();
    await accounts.stop();
    // A process that is just ending may still write its compiled code. Then a folder remains, but the run does not
    // fail.
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }).catch(() => undefined);
  };
}

/** Starts Azurite at the first request, and another one when all its accounts are in use. */
function ownAccounts(folder: string) {
  const started: Promise<LocalStorage>[] = [];
  let given = 0;
  const start = async (accounts: readonly StorageAccount[]): Promise<LocalStorage> => {
    // Imported only when needed, because the package may have to be built first.
    const { startStorage } = await import('functions-local');
    const name = `azurite-${started.length}`;
    return startStorage({ folder: join(folder, name), logFile: join(folder, `${name}.log`), accounts });
  };
  return {
    next: async (): Promise<OwnAccount> => {
      const index = given++;
      if (index % ACCOUNTS_EACH === 0)
        started.push(start(Array.from({ length: ACCOUNTS_EACH }, (_, n) => accountOf(index + n))));
      const storage = await started[Math.floor(index / ACCOUNTS_EACH)];
      if (!storage) throw new Error(`Azurite of account ${index} was not started.`);
      return { services: storage.services, account: accountOf(index) };
    },
    stop: async (): Promise<void> => {
      const storages = await Promise.allSettled(started);
      await Promise.all(storages.map((storage) => storage.status === 'fulfilled' && storage.value.stop()));
    },
  };
}

/** Azurite accepts any key for a configured account. */
const accountOf = (index: number): StorageAccount => {
  const name = `file${index}`;
  return { name, key: createHash('sha256').update(name).digest('base64') };
};
