/** A proxy in front of Azurite's three services that is as strict as Azure. README.md lists its rules. */
import { type ClientOptions, type FrontClient, openClient } from './client.ts';
import { EMULATOR_ACCOUNT, type ServicePorts, type StorageAccount } from './connection-string.ts';
import { handleCalls } from './handle.ts';
import { connectUpstream } from './upstream.ts';

export interface FrontOptions {
  /** Ports of Azurite's services on 127.0.0.1. The services can start later. */
  services: ServicePorts;
  /** The accounts for whose calls the front can create signatures. Defaults to the emulator's account. */
  accounts?: readonly StorageAccount[];
}

export interface StorageFront {
  /** Opens ports for one client, with a separate clock and interceptor. All clients share the state of the services. */
  addClient(options?: ClientOptions): Promise<FrontClient>;
  /** Closes all clients' ports and the connections to the services. */
  close(): void;
}

/** Creates a front. It listens as soon as a client is added. */
export function createStorageFront({ services, accounts = [EMULATOR_ACCOUNT] }: FrontOptions): StorageFront {
  const upstream = connectUpstream(services);
  const handle = handleCalls({ send: upstream.send, accounts });
  const clients: FrontClient[] = [];
  return {
    addClient: async (options = {}) => {
      const client = await openClient(handle, options);
      clients.push(client);
      return client;
    },
    close: () => {
      for (const client of clients) client.close();
      upstream.close();
    },
  };
}
