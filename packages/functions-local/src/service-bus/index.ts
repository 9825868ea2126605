import '../check-node.ts';

import { Broker, type EntityCounts } from './broker/broker.ts';
import { createPerform, type Fault, type Operation } from './broker/operations.ts';
import { Store } from './broker/store.ts';
import { parseConfig } from './config/parse-config.ts';
import { connectionString, DEFAULT_KEY } from './connection-string.ts';
import { BrokerServer } from './server.ts';

export { parseConfig } from './config/parse-config.ts';
export type { EntityCounts, Fault, Operation };

/** Options of a broker. */
export interface ServiceBusOptions {
  /** The entities, in the format of the `config.json` of Microsoft's emulator. */
  readonly config: unknown;
  /** The file of the state, which is created if missing, or ':memory:'. */
  readonly file: string;
  /** Defaults to 0, which selects a free port. */
  readonly port?: number;
  /** Defaults to '127.0.0.1'. Only loopback addresses are allowed. */
  readonly host?: string;
  /** Defaults to 'RootManageSharedAccessKey'. */
  readonly keyName?: string;
  /** Defaults to 'SAS_KEY_VALUE'. */
  readonly key?: string;
  /** Receives a line for every refused request. By default, nothing is logged. */
  readonly log?: (line: string) => void;
  /** Makes operations fail. By default, none fails. */
  readonly fault?: Fault;
  /** The clock, in milliseconds since 1970. Defaults to the machine's clock. */
  readonly now?: () => number;
}

/** A running broker. */
export interface ServiceBus {
  readonly port: number;
  /** The connection string for the client. It makes the client use plain TCP. */
  readonly connectionString: string;
  /** Closes all connections and the file. Further calls have no effect. */
  close(): Promise<void>;
  /** Cuts all connections, as a network failure would. Clients can reconnect immediately. */
  drop(): void;
  /** Returns the message counts by entity: `topic`, `topic/Subscriptions/subscription`, `queue`. */
  counts(): Record<string, EntityCounts>;
}

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

/**
 * Starts a Service Bus broker for `@azure/service-bus`. Everything that it acknowledged is stored in the file and survives
 * the death of the process. Throws if the configuration is not valid or contains an unsupported feature, if another broker
 * has the file open, if the port is in use, and if the host is not a loopback address.
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
