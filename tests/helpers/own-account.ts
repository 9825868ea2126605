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
    /** The address that provides storage accounts (run-setup.ts). */
    ownAccounts: string;
  }
}

/** An exclusive account on the Azurite of this run. */
export interface OwnAccount {
  services: ServicePorts;
  account: StorageAccount;
}

export interface AccountStorage {
  /** Through a strict front of this process. */
  connection: string;
  /** Past the front: for the preparations and checks of a test. */
  direct: string;
  stop(): Promise<void>;
}

/**
 * Opens an empty storage account. Azurite continues to run after `stop`, for other files. A test that stops Azurite,
 * changes its options or reads its files starts its own with `startStorage`.
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
