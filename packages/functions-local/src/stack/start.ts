import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../ports.ts';
import { startRouter } from '../router/router.ts';
import { type ClientOptions, createStorageFront, type ServicePorts } from '../storage/index.ts';
import { takeDataFolder } from './data-folder.ts';
import { createInstance, type Instance } from './instances.ts';
import { makeStorage, type StorageLayout } from './make-storage.ts';
import { type Part, startPart } from './part.ts';
import { FILES, type HostName, launchBroker, launchHost, launchStorage, launchTaskHub, readHostUrl } from './parts.ts';
import type { OutputListener } from './process-output.ts';

/** What the app's settings are made from. */
export interface Connections {
  storage: string;
  serviceBus: string;
}

/** What is to be brought up, and for which app: the stack itself knows none. Storage and broker can be left out. */
export interface PartialStackOptions {
  /** For all data and logs, of one stack at a time; what is there from an earlier run is taken up again. */
  folder: string;
  /** Folder with the app's host.json and package.json. */
  appFolder: string;
  /** Service Bus entities, as in the `config.json` of the official emulator. Default: no broker is started. */
  entities?: unknown;
  /** Containers and tables to make. Default: no storage is started. */
  layout?: StorageLayout;
  /** How storage treats the app: an interceptor that injects faults, a clock, pages. Default: as Azure would. */
  storageClient?: ClientOptions;
  /** The environment of the app, beside this process's own; called when storage and broker are up. */
  settings(connections: Partial<Connections>): Record<string, string>;
  /** Taken if it is free; default: any. */
  preferredPort?: number;
  /** Host processes with the app, from 1 to 16; default 1. More than one have a router before them. */
  instances?: number;
  /** Starts an instance again that died unasked, after a wait; default true. */
  restart?: boolean;
  /** Milliseconds that running invocations get when an instance is drained or the stack is stopped; default 10 s. */
  graceMs?: number;
  /** Whether the app has durable functions, and so needs a task hub; default true. */
  durable?: boolean;
  /** How durable work is handed over: at once (default), or by polling, as Azure Storage does. */
  durableDelays?: 'push' | 'azure';
  /** For fault tests: the task hub posts each change to `<url>/<operation>/<before|after>`; any answer but 200 makes it fail. */
  durableFaultUrl?: string;
  /** Told of each part that is up, and of each instance that died unasked. */
  onProgress?: (line: string) => void;
  /** Receives each line that the host and the app write; default: only the log has them. */
  onHostOutput?: OutputListener;
  /** Receives each warning and error of the task hub, such as an activity that is run again; default: only the log. */
  onHubWarning?: (line: string) => void;
  /** Whether the host enforces function keys, as on Azure; default true. */
  enforceKeys?: boolean;
  /** Further arguments of the host's command; default none. */
  hostArguments?: readonly string[];
}

/** What is to be brought up with storage and broker. */
export interface StackOptions extends Omit<PartialStackOptions, 'settings' | 'enforceKeys' | 'durable'> {
  entities: unknown;
  layout: StorageLayout;
  settings(connections: Connections): Record<string, string>;
}

/** The keys of the host: `master` opens all, `function` what a client may use. */
export interface StackKeys {
  master: string;
  function: string;
}

/** A stack that runs. */
export interface LocalStack extends Connections {
  /** Of the app: its router's, or the only host's. Without a slash at the end. */
  readonly url: string;
  readonly keys: StackKeys;
  readonly folder: string;
  readonly azurite: Part<string>;
  readonly broker: Part<string>;
  readonly taskHub: Part<string>;
  readonly instances: readonly [Instance, ...Instance[]];
  /** What each part is, and where. */
  readonly addresses: readonly (readonly [name: string, address: string])[];
  /** Resolves, in words, when a part ends unasked that is not started again. */
  readonly failed: Promise<string>;
  /** Stops all parts, those first that need the others, and frees the folder. Each call resolves when all is done. */
  stop(): Promise<void>;
}

/** More processes than a development machine runs side by side. */
export const MAX_INSTANCES = 16;
const GRACE_MS = 10_000;
/** What a host may take after its grace: it stops listeners and runs the app's appTerminate hooks. */
const HOST_END_MS = 10_000;

type OptionalPart = 'azurite' | 'broker' | 'taskHub' | 'storage' | 'serviceBus' | 'keys';

/** A stack that runs, with the parts that its options asked for. */
export type PartialStack = Omit<LocalStack, OptionalPart> & Partial<Pick<LocalStack, OptionalPart>>;

/**
 * Brings up storage, broker and host, in that order. Throws what the part says that does not start, and DataFolderError when
 * another stack has the folder or it cannot be used.
 */
export async function startStack(options: StackOptions): Promise<LocalStack>;
export async function startStack(options: PartialStackOptions): Promise<PartialStack>;
export async function startStack(options: PartialStackOptions): Promise<PartialStack> {
  const { folder, layout, entities, instances = 1 } = options;
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
    const services = { blob: await freePort(), queue: await freePort(), table: await freePort() };
    const front = layout && createStorageFront({ services });
    ends.unshift(() => front?.close());
    const storage = (await front?.addClient(options.storageClient))?.connectionString();
    const launching: Launching = { options, ends, onDeath: death.resolve };
    const parts = await startParts(launching, services, storage);
    const app = await startApp(launching, parts);
    const keys = options.enforceKeys === false ? {} : { keys: await readKeys(folder) };
    const addresses = describe(folder, { ...parts, ...app });
    return { ...parts, ...app, addresses, ...keys, folder, failed: death.promise, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What the starts of all parts share. */
interface Launching {
  options: PartialStackOptions;
  /** What to do at the stop, in this order. */
  ends: (() => unknown)[];
  onDeath: (message: string) => void;
}

type Launch = Parameters<typeof startPart<string>>[0];

async function start({ options, ends, onDeath }: Launching, name: string, launch: Launch): Promise<Part<string>> {
  const part = await startPart(launch, onDeath);
  ends.unshift(part.stop);
  options.onProgress?.(`${name} is up`);
  return part;
}

type Parts = Pick<PartialStack, 'azurite' | 'broker' | 'taskHub' | 'storage' | 'serviceBus'>;

async function startParts(launching: Launching, services: ServicePorts, storage: string | undefined): Promise<Parts> {
  const { folder, layout, entities, durable = true, durableDelays = 'push', durableFaultUrl } = launching.options;
  const { onHubWarning } = launching.options;
  const azurite = layout && (await start(launching, 'Azurite', () => launchStorage(folder, services)));
  if (layout && storage !== undefined) await makeStorage(storage, layout);
  const [brokerPort, hubPort] = [await freePort(), await freePort()];
  const onOutput = onHubWarning && relayWarnings(onHubWarning);
  const hub = { port: hubPort, delays: durableDelays, faultUrl: durableFaultUrl, onOutput };
  const [broker, taskHub] = await Promise.all([
    entities === undefined ? undefined : start(launching, 'Service Bus broker', () => launchBroker(folder, brokerPort)),
    durable ? start(launching, 'Durable task hub', () => launchTaskHub(folder, hub)) : undefined,
  ]);
  return {
    ...(azurite ? { azurite } : {}),
    ...(broker ? { broker, serviceBus: broker.process.ready } : {}),
    ...(taskHub ? { taskHub } : {}),
    ...(storage === undefined ? {} : { storage }),
  };
}

/** The hub writes what stops it to standard error, and all levels to standard output: `[time] level: message`. */
function relayWarnings(relay: (line: string) => void): OutputListener {
  return (line, stream) => {
    if (stream === 'stderr' || /^\[\S+\] (warning|error): /.test(line)) relay(`Durable task hub: ${line}`);
  };
}

type App = Pick<LocalStack, 'url' | 'instances'>;

async function startApp(launching: Launching, { taskHub, storage, serviceBus }: Parts): Promise<App> {
  const { options, ends, onDeath } = launching;
  const {
    folder,
    appFolder,
    instances: count = 1,
    restart = true,
    graceMs = GRACE_MS,
    onProgress = () => {},
    hostArguments = [],
    enforceKeys = true,
    onHostOutput,
  } = options;
  const settings = options.settings({
    ...(storage === undefined ? {} : { storage }),
    ...(serviceBus === undefined ? {} : { serviceBus }),
  });
  const publicPort = await freePort(options.preferredPort);
  const url = `http://127.0.0.1:${publicPort}`;
  const args = [
    ...(taskHub ? ['--task-hub', taskHub.process.ready] : []),
    ...['--public-url', url],
    ...['--grace-ms', String(graceMs)],
    ...hostArguments,
  ];
  const toInstance = async (_: unknown, index: number): Promise<Instance> => {
    const instance: HostName = `host-${index + 1}`;
    const port = count === 1 ? publicPort : await freePort();
    const onOutput = onHostOutput && (count === 1 ? onHostOutput : relayInstance(instance, onHostOutput));
    // One list of functions is enough, and the first instance is always there.
    const listing = index === 0 ? [] : ['--no-function-list'];
    return createInstance({
      ...{ name: instance, port, restart, graceMs: graceMs + HOST_END_MS, onDeath, onMessage: onProgress },
      launch: (signal) =>
        launchHost(folder, {
          appFolder,
          port,
          settings,
          instance,
          args: [...args, ...listing],
          enforceKeys,
          onOutput,
          signal,
        }),
    });
  };
  const instances = await Promise.all(Array.from({ length: count }, toInstance));
  // One instance is reached without a hop, as it always was.
  if (count > 1) {
    const router = await startRouter(publicPort, () => instances.filter(takesConnections));
    ends.unshift(router.close);
  }
  ends.unshift(() => Promise.all(instances.map((instance) => instance.drain())));
  await Promise.all(instances.map((instance) => instance.start()));
  onProgress(count === 1 ? 'Functions host is up' : `${count} instances of the app are up at ${url}`);
  const [first, ...others] = instances;
  if (!first) throw new Error('A stack has at least one instance');
  return { url, instances: [first, ...others] };
}

/** Names the instance before each line. Clients use the router's address, so an instance's own is left out. */
function relayInstance(instance: HostName, relay: OutputListener): OutputListener {
  return (line, stream) => {
    if (readHostUrl(line) === undefined) relay(`${instance}: ${line}`, stream);
  };
}

/** One that is frozen still has its listener, as on Azure until somebody notices. */
const takesConnections = ({ state }: Instance): boolean => state === 'running' || state === 'frozen';

function describe(
  folder: string,
  { url, storage, serviceBus, taskHub, instances }: Parts & App,
): LocalStack['addresses'] {
  const endpoint = (name: string, connection = ''): string => new RegExp(`${name}=([^;]+)`).exec(connection)?.[1] ?? '';
  const addresses: [string, string][] = [
    ['Functions app', url],
    ...(instances.length === 1 ? [] : instances.map(({ name, url }): [string, string] => [name, url])),
    ['Blob storage', endpoint('BlobEndpoint', storage)],
    ['Queue storage', endpoint('QueueEndpoint', storage)],
    ['Table storage', endpoint('TableEndpoint', storage)],
    ['Service Bus', endpoint('Endpoint', serviceBus)],
    ['Durable task hub', taskHub?.process.ready ?? ''],
    ['Logs', join(folder, FILES.logs)],
  ];
  return addresses.filter(([, address]) => address !== '');
}

/** The keys of a stack's host, which makes them at its first start. */
export async function readKeys(folder: string): Promise<StackKeys> {
  const text = await readFile(join(folder, FILES.hostState, 'keys.json'), 'utf8');
  const { master, host } = JSON.parse(text) as { master: string; host: { default: string } };
  return { master, function: host.default };
}
