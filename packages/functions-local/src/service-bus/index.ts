import '../check-node.ts';

import { Broker, type EntityCounts } from './broker/broker.ts';
import { createPerform, type Fault, type Operation } from './broker/operations.ts';
import { Store } from './broker/store.ts';
import { parseConfig } from './config/parse-config.ts';
import { connectionString, DEFAULT_KEY } from './connection-string.ts';
import { BrokerServer } from './server.ts';

export { parseConfig } from './config/parse-config.ts';
export type { EntityCounts, Fault, Operation };

/** How to start a broker. */
export interface ServiceBusOptions {
  /** The entities, as in the `config.json` of Microsoft's emulator. */
  readonly config: unknown;
  /** Where the state is kept: a file that is made if missing, or ':memory:'. */
  readonly file: string;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Default '127.0.0.1'; only addresses of this machine's loopback are allowed. */
  readonly host?: string;
  /** Default 'RootManageSharedAccessKey'. */
  readonly keyName?: string;
  /** Default 'SAS_KEY_VALUE'. */
  readonly key?: string;
  /** Takes a line for everything refused; default: nobody. */
  readonly log?: (line: string) => void;
  /** Lets operations fail; default: none does. */
  readonly fault?: Fault;
  /** The clock in milliseconds since 1970; default the machine's. */
  readonly now?: () => number;
}

/** A running broker. */
export interface ServiceBus {
  readonly port: number;
  /** For the client's constructor; it makes the client use plain TCP. */
  readonly connectionString: string;
  /** Closes all connections and the file; calling it again changes nothing. */
  close(): Promise<void>;
  /** Cuts all connections without a word, as a network failure would; clients may come back at once. */
  drop(): void;
  /** Message counts by entity: `topic`, `topic/Subscriptions/subscription`, `queue`. */
  counts(): Record<string, EntityCounts>;
}

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/**
 * Starts a Service Bus broker that `@azure/service-bus` connects to. What was acknowledged is in the file and survives
 * the death of the process. Throws when the configuration is not valid or names something unsupported, when another
 * broker has the file open, when the port is taken, and when the host is not the loopback.
 */
export async function startServiceBus(options: ServiceBusOptions): Promise<ServiceBus> {
  const { host = '127.0.0.1', log = () => {}, now, fault } = options;
  if (!LOOPBACK.includes(host)) throw new Error(`host: expected one of ${LOOPBACK.join(', ')}, got '${host}'`);
  const definition = parseConfig(options.config);
  const key = { name: options.keyName ?? DEFAULT_KEY.name, key: options.key ?? DEFAULT_KEY.key };
  const store = new Store(options.file);
  const broker = new Broker({ definition, store, now });
  const server = new BrokerServer({ broker, key, log, createPerform: () => createPerform(store, fault) });
  const stop = () => {
    broker.close();
    store.close();
  };
  const port = await server.listen(options.port ?? 0, host).catch((error: unknown) => {
    stop();
    throw error;
  });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= server.close().then(stop);
    return closed;
  };
  return {
    port,
    connectionString: connectionString(host, port, key),
    close,
    drop: () => server.drop(),
    counts: () => broker.counts(),
  };
}
