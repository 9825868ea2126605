/** Azurite behind the strict front: the storage account of everything local but the bench. */

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
  /** Azurite's data. */
  folder: string;
  logFile: string;
  /** Of the first client of the front. */
  client?: ClientOptions;
  /** Default: the emulator's own. */
  accounts?: readonly StorageAccount[];
}

/** A storage account that runs. */
export interface LocalStorage {
  azurite: RunningProcess<string>;
  /** Azurite's own ports. */
  services: ServicePorts;
  front: StorageFront;
  /** Through the front. */
  connection: string;
  /** Past the front: for what a test prepares or looks at. */
  direct: string;
  /** Closes the front, then stops Azurite. */
  stop(): Promise<void>;
}

/** Starts Azurite on free ports, and the front with a first client. Nothing is left running when it throws. */
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
