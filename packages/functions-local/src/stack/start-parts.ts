/** Assigns the addresses of a stack's parts and starts the parts in parallel. */
import { freePort } from '../ports.ts';
import { connectionString } from '../service-bus/connection-string.ts';
import { createStorageFront, type ServicePorts } from '../storage/index.ts';
import type { KeptPorts } from './kept-ports.ts';
import { type Part, startPart } from './part.ts';
import { launchBroker, launchStorage, launchTaskHub } from './parts.ts';
import type { RunningProcess } from './process/process.ts';
import type { OutputListener } from './process/process-output.ts';
import type { AnyStackOptions, Connections, PartialStack } from './stack-options.ts';
import { loadStorageClients, makeStorage, type StorageLayout } from './storage/make-storage.ts';

/** The shared options of the starts of all parts. */
export interface Launching {
  options: AnyStackOptions;
  ports: KeptPorts;
  /** The steps of the stop, in this order. */
  ends: (() => unknown)[];
  onDeath: (message: string) => void;
}

/** The addresses of the parts. */
interface Addresses {
  services: ServicePorts;
  brokerPort: number;
  hubPort: number;
  connections: Partial<Connections>;
}

/** Chooses the ports of the parts. Also opens the storage ports for clients, on which calls fail until Azurite is running. */
export async function findAddresses({ options, ports, ends }: Launching): Promise<Addresses> {
  const services = { blob: await freePort(), queue: await freePort(), table: await freePort() };
  const connections: Partial<Connections> = {};
  if (options.layout) {
    const front = createStorageFront({ services });
    ends.unshift(() => front.close());
    const take = (name: string) => ports.take({ name: `${name} storage` });
    const own = { blob: await take('Blob'), queue: await take('Queue'), table: await take('Table') };
    connections.storage = (await front.addClient({ ...options.storageClient, ports: own })).connectionString();
  }
  const hasBroker = options.entities !== undefined;
  const brokerPort = hasBroker ? await ports.take({ name: 'Service Bus' }) : 0;
  if (hasBroker) connections.serviceBus = connectionString('127.0.0.1', brokerPort);
  return { services, brokerPort, hubPort: await freePort(), connections };
}

/** The started parts, with the connection strings of clients. */
export type Parts = Pick<PartialStack, 'azurite' | 'broker' | 'taskHub' | 'storage' | 'serviceBus'>;

/** Starts the parts in parallel. If one does not start, ends the others before it throws. */
export async function startParts(launching: Launching, found: Addresses): Promise<Parts> {
  const { options, ends, onDeath } = launching;
  const {
    folder,
    layout,
    entities,
    durable = true,
    durableDelays: delays = 'push',
    durableFaultUrl: faultUrl,
  } = options;
  const { services, brokerPort, hubPort, connections } = found;
  const cancel = new AbortController();
  const { signal } = cancel;
  const started: Part<string>[] = [];
  ends.unshift(() => Promise.all(started.map((part) => part.stop())));
  const start = async (name: string, launch: () => Promise<RunningProcess<string>>): Promise<Part<string>> => {
    const part = await startPart(launch, onDeath);
    started.push(part);
    options.onProgress?.(`${name} is running`);
    return part;
  };
  const startStorage = async ({ storage = '' }: Partial<Connections>, needed: StorageLayout): Promise<Part<string>> => {
    const [azurite] = await Promise.all([
      start('Azurite', () => launchStorage(folder, services, signal)),
      loadStorageClients(),
    ]);
    await makeStorage(storage, needed);
    return azurite;
  };
  const onOutput = options.onHubWarning && relayWarnings(options.onHubWarning);
  const hub = { port: hubPort, delays, faultUrl, onOutput, signal };
  const hasBroker = entities !== undefined;
  const starts = [
    layout && startStorage(connections, layout),
    hasBroker ? start('Service Bus broker', () => launchBroker(folder, brokerPort, signal)) : undefined,
    durable ? start('Durable task hub', () => launchTaskHub(folder, hub)) : undefined,
  ] as const;
  const [azurite, broker, taskHub] = await Promise.all(starts).catch(async (error: unknown) => {
    cancel.abort(error);
    await Promise.allSettled(starts);
    throw error;
  });
  return { ...connections, ...(azurite && { azurite }), ...(broker && { broker }), ...(taskHub && { taskHub }) };
}

/** The hub writes fatal errors to standard error, and all log levels to standard output: `[time] level: message`. */
function relayWarnings(relay: (line: string) => void): OutputListener {
  return (line, stream) => {
    if (stream === 'stderr' || /^\[\S+\] (warning|error): /.test(line)) relay(`Durable task hub: ${line}`);
  };
}
