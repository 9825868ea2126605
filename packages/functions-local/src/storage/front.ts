/** A proxy before Azurite's three services that is as strict as Azure; README.md has its rules. */
import { type ClientOptions, type FrontClient, openClient } from './client.ts';
import { EMULATOR_ACCOUNT, type ServicePorts, type StorageAccount } from './connection-string.ts';
import { handleCalls } from './handle.ts';
import { connectUpstream } from './upstream.ts';

export interface FrontOptions {
  /** Ports of the real services on 127.0.0.1. They need not listen yet. */
  services: ServicePorts;
  /** Whose calls the front can sign anew. Default: the emulator's own account. */
  accounts?: readonly StorageAccount[];
}

export interface StorageFront {
  /** Opens ports for one client, with a clock and an interceptor of its own. All clients share the services' state. */
  addClient(options?: ClientOptions): Promise<FrontClient>;
  /** Closes all clients' ports and the connections to the services. */
  close(): void;
}

/** Makes a front; it listens once a client is added. */
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
