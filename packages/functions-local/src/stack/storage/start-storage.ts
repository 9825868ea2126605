/** Azurite behind the strict front: the storage account of all local parts except for the bench. */

import { freePort } from '../../ports.ts';
import {
  type ClientOptions,
  createStorageFront,
  type ServicePorts,
  type StorageAccount,
  type StorageFront,
} from '../../storage/index.ts';
import type { RunningProcess } from '../process/process.ts';
import { startAzurite } from './azurite.ts';

export interface StorageOptions {
  /** Folder of Azurite's data. */
  folder: string;
  logFile: string;
  /** Options of the front's first client. */
  client?: ClientOptions;
  /** Defaults to the emulator's account. */
  accounts?: readonly StorageAccount[];
}

/** A running storage account. */
export interface LocalStorage {
  azurite: RunningProcess<string>;
  /** Azurite's own ports. */
  services: ServicePorts;
  front: StorageFront;
  /** Connection string through the front. */
  connection: string;
  /** Connection string without the front, for a test that prepares or inspects data. */
  direct: string;
  /** Closes the front, then stops Azurite. */
  stop(): Promise<void>;
}

/** Starts Azurite on free ports, and the front with a first client. If it throws, nothing is left running. */
export async function startStorage({ folder, logFile, client, accounts }: StorageOptions): Promise<LocalStorage> {
  const given = accounts && { accounts };
  const services = { blob: await freePort(), queue: await freePort(), table: await freePort() };
  const azurite = await startAzurite({ folder, ports: services, logFile, ...given });
  const front = createStorageFront({ services, ...given });
  const stop = async (): Promise<void> => {
    front.close();
    await azurite.stop();
  };
  const { connectionString } = await front.addClient(client).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return { azurite, services, front, connection: connectionString(accounts?.[0]), direct: azurite.ready, stop };
}
