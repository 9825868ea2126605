import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../ports.ts';
import { createStorageFront, type ServicePorts } from '../storage/index.ts';
import { makeStorage, type StorageLayout } from './make-storage.ts';
import { type Part, startPart } from './part.ts';
import { FILES, launchBroker, launchHost, launchStorage, logFile } from './parts.ts';
import type { OutputListener } from './process-output.ts';

/** What the app's settings are made from. */
export interface Connections {
  storage: string;
  serviceBus: string;
}

/** What is to be brought up, and for which app: the stack itself knows none. Storage and broker can be left out. */
export interface PartialStackOptions {
  /** For all data and logs; what is there from an earlier run is taken up again. */
  folder: string;
  /** Folder with the app's host.json and package.json. */
  appFolder: string;
  /** Service Bus entities, as in the `config.json` of the official emulator. Default: no broker is started. */
  entities?: unknown;
  /** Containers and tables to make. Default: no storage is started. */
  layout?: StorageLayout;
  /** The environment of the app, beside this process's own; called when storage and broker are up. */
  settings(connections: Partial<Connections>): Record<string, string>;
  /** Instances of the host; default 1. */
  instances?: number;
  /** Taken if it is free; default: any. */
  preferredPort?: number;
  /** Told of each part that is up. */
  onProgress?: (line: string) => void;
  /** Receives each line that the host and the app write; default: only the log has them. */
  onHostOutput?: OutputListener;
  /** Whether the host enforces function keys, as on Azure; default true. */
  enforceKeys?: boolean;
  /** Further arguments of the host's command; default none. */
  hostArguments?: readonly string[];
}

/** What is to be brought up with storage and broker. */
export interface StackOptions extends Omit<PartialStackOptions, 'settings' | 'enforceKeys'> {
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
  /** Of the Functions host, without a slash at the end. */
  readonly url: string;
  readonly keys: StackKeys;
  readonly folder: string;
  readonly azurite: Part<string>;
  readonly broker: Part<string>;
  readonly host: Part<string>;
  /** What each part is, and where. */
  readonly addresses: readonly (readonly [name: string, address: string])[];
  /** Resolves, in words, when a part ends unasked. */
  readonly failed: Promise<string>;
  /** Stops all parts, those first that need the others. */
  stop(): Promise<void>;
}

type OptionalPart = 'azurite' | 'broker' | 'storage' | 'serviceBus' | 'keys';

/** A stack that runs, with the parts that its options asked for. */
export type PartialStack = Omit<LocalStack, OptionalPart> & Partial<Pick<LocalStack, OptionalPart>>;

/** Brings up storage, broker and host, in that order. Throws what the part says that does not start. */
export async function startStack(options: StackOptions): Promise<LocalStack>;
export async function startStack(options: PartialStackOptions): Promise<PartialStack>;
export async function startStack(options: PartialStackOptions): Promise<PartialStack> {
  const { folder, layout, entities, onProgress = () => {} } = options;
  await mkdir(join(folder, FILES.storage), { recursive: true });
  if (entities !== undefined) {
    await writeFile(join(folder, FILES.entities), `${JSON.stringify(entities, null, 2)}\n`);
  }
  const death = Promise.withResolvers<string>();
  const services = { blob: await freePort(), queue: await freePort(), table: await freePort() };
  const front = layout && createStorageFront({ services });
  const started: Part<string>[] = [];
  const start = async (name: string, launch: Parameters<typeof startPart<string>>[0]): Promise<Part<string>> => {
    const part = await startPart(launch, death.resolve);
    started.unshift(part);
    onProgress(`${name} is up`);
    return part;
  };
  const stop = async (): Promise<void> => {
    for (const part of started) await part.stop();
    front?.close();
  };
  try {
    const storage = (await front?.addClient())?.connectionString();
    const parts = await startParts(options, { services, storage }, start);
    const keys = options.enforceKeys === false ? {} : { keys: await readKeys(folder) };
    return { ...parts, ...describe(folder, parts), ...keys, folder, failed: death.promise, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Parts = Pick<PartialStack, 'azurite' | 'broker' | 'host' | 'storage' | 'serviceBus' | 'url'>;

async function startParts(
  options: PartialStackOptions,
  { services, storage }: { services: ServicePorts; storage: string | undefined },
  start: (name: string, launch: Parameters<typeof startPart<string>>[0]) => Promise<Part<string>>,
): Promise<Parts> {
  const { folder, appFolder, layout, entities, preferredPort, onHostOutput, enforceKeys } = options;
  const azurite = layout && (await start('Azurite', () => launchStorage(folder, services)));
  if (layout && storage !== undefined) await makeStorage(storage, layout);
  const brokerPort = await freePort();
  const broker =
    entities === undefined ? undefined : await start('Service Bus broker', () => launchBroker(folder, brokerPort));
  const connections = {
    ...(storage === undefined ? {} : { storage }),
    ...(broker ? { serviceBus: broker.process.ready } : {}),
  };
  const launch = {
    appFolder,
    port: await freePort(preferredPort),
    settings: options.settings(connections),
    args: options.hostArguments ?? [],
    enforceKeys: enforceKeys ?? true,
    ...(onHostOutput ? { onOutput: onHostOutput } : {}),
  };
  const host = await start('Functions host', () => launchHost(folder, launch));
  const url = host.process.ready.replace(/\/$/, '');
  return { ...(azurite ? { azurite } : {}), ...(broker ? { broker } : {}), ...connections, host, url };
}

function describe(folder: string, { url, storage, serviceBus }: Parts): Pick<LocalStack, 'addresses'> {
  const endpoint = (name: string, connection = ''): string => new RegExp(`${name}=([^;]+)`).exec(connection)?.[1] ?? '';
  const addresses: [string, string][] = [
    ['Functions host', url],
    ['Blob storage', endpoint('BlobEndpoint', storage)],
    ['Queue storage', endpoint('QueueEndpoint', storage)],
    ['Table storage', endpoint('TableEndpoint', storage)],
    ['Service Bus', endpoint('Endpoint', serviceBus)],
    ['Logs', join(logFile(folder, 'host'), '..')],
  ];
  return { addresses: addresses.filter(([, address]) => address !== '') };
}

/** The keys of a stack's host, which makes them at its first start. */
export async function readKeys(folder: string): Promise<StackKeys> {
  const text = await readFile(join(folder, FILES.hostState, 'keys.json'), 'utf8');
  const { master, host } = JSON.parse(text) as { master: string; host: { default: string } };
  return { master, function: host.default };
}
