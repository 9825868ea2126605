import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadKeys } from '../host/start/load-keys.ts';
import { startApp } from './app.ts';
import { lockDataFolder } from './data-folder.ts';
import { keepPorts } from './kept-ports.ts';
import { FILES, hostSettings } from './parts.ts';
import { startSpareHosts } from './spare-hosts.ts';
import type {
  AnyStackOptions,
  LocalStack,
  PartialStack,
  PartialStackOptions,
  ReloadableOptions,
  ReloadableStack,
  StackKeys,
  StackOptions,
} from './stack-options.ts';
import { findAddresses, type Launching, type Parts, startParts } from './start-parts.ts';

/** More processes than a development machine can run in parallel. */
export const MAX_INSTANCES = 16;

/**
 * Starts storage, broker and task hub in parallel, then the host. Throws the error of a part that does not start,
 * DataFolderError if the folder is in use or not usable, and PortInUseError if the app's `port` is not free.
 */
export async function startStack(options: StackOptions): Promise<LocalStack>;
export async function startStack(options: PartialStackOptions): Promise<PartialStack>;
export async function startStack(options: PartialStackOptions): Promise<PartialStack> {
  const stack = await bringUp(options);
  const [first, ...others] = stack.instances;
  if (!first) throw new Error('Expected a stack with at least one instance, got none');
  return { ...stack, instances: [first, ...others] };
}

/** Starts storage and broker. Its `reload` starts the app. Throws the same errors as `startStack`. */
export async function startReloadableStack(options: ReloadableOptions): Promise<ReloadableStack> {
  // These options require every part.
  return (await bringUp(options)) as ReloadableStack;
}

type AnyStack = Omit<PartialStack, 'instances'> & Pick<ReloadableStack, 'instances' | 'reload'>;

async function bringUp(options: AnyStackOptions): Promise<AnyStack> {
  const { folder, entities, instances = 1 } = options;
  if (!Number.isInteger(instances) || instances < 1 || instances > MAX_INSTANCES) {
    throw new Error(`instances: expected a whole number from 1 to ${MAX_INSTANCES}, got ${instances}.`);
  }
  const releaseFolder = lockDataFolder(folder);
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
    // Comes first, since it is the one port that can be refused.
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

/** Creates the keys, unless an earlier run did, and returns them. They are known before an app is running. */
function makeKeys(folder: string): Promise<StackKeys> {
  const stateDir = join(folder, FILES.hostState);
  loadKeys({ stateDir, enableAuth: true });
  return readKeys(folder);
}

/** Reads the keys of a stack's host, which the host creates at its first start. */
export async function readKeys(folder: string): Promise<StackKeys> {
  const text = await readFile(join(folder, FILES.hostState, 'keys.json'), 'utf8');
  const { master, host } = JSON.parse(text) as { master: string; host: { default: string } };
  return { master, function: host.default };
}
