import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../ports.ts';
import { createStorageFront, type ServicePorts } from '../storage/index.ts';
import { makeStorage, type StorageLayout } from './make-storage.ts';
import { type Part, startPart } from './part.ts';
import { FILES, launchBroker, launchHost, launchStorage, logFile } from './parts.ts';

/** What the app's settings are made from. */
export interface Connections {
  storage: string;
  serviceBus: string;
}

/** What is to be brought up, and for which app: the stack itself knows none. */
export interface StackOptions {
  /** For all data and logs; what is there from an earlier run is taken up again. */
  folder: string;
  /** Folder with the app's host.json and package.json. */
  appFolder: string;
  /** Service Bus entities, as in the `config.json` of the official emulator. */
  entities: unknown;
  layout: StorageLayout;
  settings: (connections: Connections) => Record<string, string>;
  /** Taken if it is free; default: any. */
  preferredPort?: number;
  /** Told of each part that is up. */
  onProgress?: (line: string) => void;
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

/** Brings up storage, broker and host, in that order. Throws what the part says that does not start. */
export async function startStack(options: StackOptions): Promise<LocalStack> {
  const { folder, onProgress = () => {} } = options;
  await mkdir(join(folder, FILES.storage), { recursive: true });
  await writeFile(join(folder, FILES.entities), `${JSON.stringify(options.entities, null, 2)}\n`);
  const death = Promise.withResolvers<string>();
  const services = { blob: await freePort(), queue: await freePort(), table: await freePort() };
  const front = createStorageFront({ services });
  const started: Part<string>[] = [];
  const start = async (name: string, launch: Parameters<typeof startPart<string>>[0]): Promise<Part<string>> => {
    const part = await startPart(launch, death.resolve);
    started.unshift(part);
    onProgress(`${name} is up`);
    return part;
  };
  const stop = async (): Promise<void> => {
    for (const part of started) await part.stop();
    front.close();
  };
  try {
    const { connectionString } = await front.addClient();
    const parts = await startParts(options, { services, storage: connectionString() }, start);
    const keys = await readKeys(folder);
    return { ...parts, ...describe(folder, parts), keys, folder, failed: death.promise, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Parts = Pick<LocalStack, 'azurite' | 'broker' | 'host' | 'storage' | 'serviceBus' | 'url'>;

async function startParts(
  { folder, appFolder, layout, settings, preferredPort }: StackOptions,
  { services, storage }: { services: ServicePorts; storage: string },
  start: (name: string, launch: Parameters<typeof startPart<string>>[0]) => Promise<Part<string>>,
): Promise<Parts> {
  const azurite = await start('Azurite', () => launchStorage(folder, services));
  await makeStorage(storage, layout);
  const brokerPort = await freePort();
  const broker = await start('Service Bus broker', () => launchBroker(folder, brokerPort));
  const serviceBus = broker.process.ready;
  const launch = { appFolder, port: await freePort(preferredPort), settings: settings({ storage, serviceBus }) };
  const host = await start('Functions host', () => launchHost(folder, launch));
  return { azurite, broker, host, storage, serviceBus, url: host.process.ready.replace(/\/$/, '') };
}

function describe(folder: string, { url, storage, serviceBus }: Parts): Pick<LocalStack, 'addresses'> {
  const endpoint = (name: string): string => new RegExp(`${name}=([^;]+)`).exec(storage)?.[1] ?? '';
  return {
    addresses: [
      ['Functions host', url],
      ['Blob storage', endpoint('BlobEndpoint')],
      ['Queue storage', endpoint('QueueEndpoint')],
      ['Table storage', endpoint('TableEndpoint')],
      ['Service Bus', /Endpoint=([^;]+)/.exec(serviceBus)?.[1] ?? ''],
      ['Logs', join(logFile(folder, 'host'), '..')],
    ],
  };
}

/** The keys of a stack's host, which makes them at its first start. */
export async function readKeys(folder: string): Promise<StackKeys> {
  const text = await readFile(join(folder, FILES.hostState, 'keys.json'), 'utf8');
  const { master, host } = JSON.parse(text) as { master: string; host: { default: string } };
  return { master, function: host.default };
}
