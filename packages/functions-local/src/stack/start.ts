import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadKeys } from '../host/load-keys.ts';
import { freePort } from '../ports.ts';
import { connectionString } from '../service-bus/connection-string.ts';
import { createStorageFront, type ServicePorts } from '../storage/index.ts';
import { startApp } from './app.ts';
import { takeDataFolder } from './data-folder.ts';
import { type KeptPorts, keepPorts } from './kept-ports.ts';
import { loadStorageClients, makeStorage, type StorageLayout } from './make-storage.ts';
import { type Part, startPart } from './part.ts';
import { FILES, hostSettings, launchBroker, launchStorage, launchTaskHub } from './parts.ts';
import type { RunningProcess } from './process.ts';
import type { OutputListener } from './process-output.ts';
import { startSpareHosts } from './spare-hosts.ts';
import type {
  AnyStackOptions,
  Connections,
  LocalStack,
  PartialStack,
  PartialStackOptions,
  ReloadableOptions,
  ReloadableStack,
  StackKeys,
  StackOptions,
} from './stack-options.ts';

/** More processes than a development machine runs side by side. */
export const MAX_INSTANCES = 16;

/**
 * Brings up storage, broker and task hub side by side, then the host. Throws what the part says that does not start, DataFolderError when
 * another stack has the folder or it cannot be used, and PortInUseError when the app's `port` is not free.
 */
export async function startStack(options: StackOptions): Promise<LocalStack>;
export async function startStack(options: PartialStackOptions): Promise<PartialStack>;
export async function startStack(options: PartialStackOptions): Promise<PartialStack> {
  const stack = await bringUp(options);
  const [first, ...others] = stack.instances;
  if (!first) throw new Error('A stack has at least one instance');
  return { ...stack, instances: [first, ...others] };
}

/** Brings up storage and broker; its `reload` starts the app. Throws as `startStack`. */
export async function startReloadableStack(options: ReloadableOptions): Promise<ReloadableStack> {
  // Its options ask for every part.
  return (await bringUp(options)) as ReloadableStack;
}

type AnyStack = Omit<PartialStack, 'instances'> & Pick<ReloadableStack, 'instances' | 'reload'>;

async function bringUp(options: AnyStackOptions): Promise<AnyStack> {
  const { folder, entities, instances = 1 } = options;
  if (!Number.isInteger(instances) || instances < 1 || instances > MAX_INSTANCES) {
    throw new Error(`instances: expected a whole number from 1 to ${MAX_INSTANCES}, got ${instances}.`);
  }
  const releaseFolder = takeDataFolder(folder);
  const ends: (() => unknown)[] = [];
  const stopAll = async (): Promise<void> => {
    try {
      for (const end of ends) await end();
    } finally {
      releaseFolder();
    }
  };
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= stopAll();
    return stopping;
  };
  const death = Promise.withResolvers<string>();
  try {
    if (entities !== undefined) {
      await writeFile(join(folder, FILES.entities), `${JSON.stringify(entities, null, 2)}\n`);
    }
    const ports = keepPorts(folder, options.onProgress ?? (() => {}));
    // First, as it is the one that may be refused.
    const { port: required, preferredPort: preferred } = options;
    const publicPort = await ports.take({ name: 'the app', required, preferred });
    const launching: Launching = { options, ports, ends, onDeath: death.resolve };
    const found = await findAddresses(launching);
    const settings = options.settings(found.connections);
    const { appFolder } = options;
    // Loads the host while the parts start.
    const surroundings =
      appFolder === undefined ? { env: settings } : { env: hostSettings(appFolder, settings), cwd: appFolder };
    const spares = startSpareHosts(options.preload, surroundings);
    ends.unshift(spares.end);
    const parts = await startParts(launching, found);
    const keys = options.enforceKeys === false ? {} : { keys: await makeKeys(folder) };
    const taskHubUrl = parts.taskHub?.process.ready;
    const app = await startApp({ ...launching, publicPort, settings, spares, taskHubUrl });
    return {
      ...{ ...parts, ...keys, folder, stop, url: app.url, reload: app.reload, failed: death.promise },
      addresses: describe(folder, { ...parts, url: app.url, instances: app.instances }),
      get instances() {
        return app.instances;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What the starts of all parts share. */
interface Launching {
  options: AnyStackOptions;
  ports: KeptPorts;
  /** What to do at the stop, in this order. */
  ends: (() => unknown)[];
  onDeath: (message: string) => void;
}

/** Where the parts will be. */
interface Addresses {
  services: ServicePorts;
  brokerPort: number;
  hubPort: number;
  connections: Partial<Connections>;
}

/** Chooses the ports of the parts, and opens those of storage that clients use: calls there fail until Azurite is up. */
async function findAddresses({ options, ports, ends }: Launching): Promise<Addresses> {
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

type Parts = Pick<PartialStack, 'azurite' | 'broker' | 'taskHub' | 'storage' | 'serviceBus'>;

/** Starts the parts side by side. When one does not start, it ends those that are starting before it throws. */
async function startParts(launching: Launching, found: Addresses): Promise<Parts> {
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
  const abandon = new AbortController();
  const { signal } = abandon;
  const started: Part<string>[] = [];
  ends.unshift(() => Promise.all(started.map((part) => part.stop())));
  const start = async (name: string, launch: () => Promise<RunningProcess<string>>): Promise<Part<string>> => {
    const part = await startPart(launch, onDeath);
    started.push(part);
    options.onProgress?.(`${name} is up`);
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
    abandon.abort(error);
    await Promise.allSettled(starts);
    throw error;
  });
  return { ...connections, ...(azurite && { azurite }), ...(broker && { broker }), ...(taskHub && { taskHub }) };
}

/** The hub writes what stops it to standard error, and all levels to standard output: `[time] level: message`. */
function relayWarnings(relay: (line: string) => void): OutputListener {
  return (line, stream) => {
    if (stream === 'stderr' || /^\[\S+\] (warning|error): /.test(line)) relay(`Durable task hub: ${line}`);
  };
}

function describe(
  folder: string,
  { url, storage, serviceBus, taskHub, instances }: Parts & Pick<ReloadableStack, 'url' | 'instances'>,
): LocalStack['addresses'] {
  const endpoint = (name: string, connection = ''): string => new RegExp(`${name}=([^;]+)`).exec(connection)?.[1] ?? '';
  const addresses: [string, string][] = [
    ['Functions app', url],
    ...(instances.length < 2 ? [] : instances.map(({ name, url }): [string, string] => [name, url])),
    ['Blob storage', endpoint('BlobEndpoint', storage)],
    ['Queue storage', endpoint('QueueEndpoint', storage)],
    ['Table storage', endpoint('TableEndpoint', storage)],
    ['Service Bus', endpoint('Endpoint', serviceBus)],
    ['Durable task hub', taskHub?.process.ready ?? ''],
    ['Logs', join(folder, FILES.logs)],
  ];
  return addresses.filter(([, address]) => address !== '');
}

/** Makes the keys, unless an earlier run did, and returns them: they are known before an app is up. */
function makeKeys(folder: string): Promise<StackKeys> {
  const stateDir = join(folder, FILES.hostState);
  loadKeys({ stateDir, enableAuth: true });
  return readKeys(folder);
}

/** The keys of a stack's host, which makes them at its first start. */
export async function readKeys(folder: string): Promise<StackKeys> {
  const text = await readFile(join(folder, FILES.hostState, 'keys.json'), 'utf8');
  const { master, host } = JSON.parse(text) as { master: string; host: { default: string } };
  return { master, function: host.default };
}
