import {
  type ClientOptions,
  connectionString,
  createStorageFront,
  type ServicePorts,
  type StorageAccount,
} from 'functions-local';
import { inject } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where a file asks for a storage account (run-setup.ts). */
    ownAccounts: string;
  }
}

/** An account on the Azurite of this run, which nobody else has. */
export interface OwnAccount {
  services: ServicePorts;
  account: StorageAccount;
}

export interface AccountStorage {
  /** Through a strict front of this process. */
  connection: string;
  /** Past the front: for what a test prepares or looks at. */
  direct: string;
  stop(): Promise<void>;
}

/**
 * Opens an empty storage account. Azurite itself goes on after `stop`, for others; who stops it, changes its options or looks
 * at its files starts one with `startStorage`.
 */
export async function openAccount(client?: ClientOptions): Promise<AccountStorage> {
  const answer = await fetch(inject('ownAccounts'));
  if (!answer.ok) throw new Error(`No storage account: ${await answer.text()}`);
  const { services, account } = (await answer.json()) as OwnAccount;
  const front = createStorageFront({ services, accounts: [account] });
  const opened = await front.addClient(client);
  return {
    connection: opened.connectionString(account),
    direct: connectionString(services, account),
    stop: async () => front.close(),
  };
}
