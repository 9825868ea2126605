/** The app of a stack: its instances, the router in front of them, and their replacement by instances with newer code. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../ports.ts';
import { startRouter } from '../router/router.ts';
import { createInstance, type Instance } from './instances.ts';
import { type HostName, launchHost, readHostUrl } from './parts.ts';
import type { OutputListener } from './process/process-output.ts';
import type { SpareHosts } from './spare-hosts.ts';
import type { AnyStackOptions } from './stack-options.ts';

const GRACE_MS = 10_000;
/** How long a host needs after its grace period, to stop its listeners and run the app's appTerminate hooks. */
const HOST_END_MS = 10_000;

/** The parts of a stack that its app needs. */
export interface AppOptions {
  options: AnyStackOptions;
  /** Port of the app's address. */
  publicPort: number;
  settings: Readonly<Record<string, string>>;
  spares: SpareHosts;
  taskHubUrl: string | undefined;
  /** The steps of the stop, in this order. */
  ends: (() => unknown)[];
  onDeath: (message: string) => void;
}

/** The app of a stack. */
export interface StackApp {
  /** Without a trailing slash. */
  readonly url: string;
  /** The instances that accept work. There is none before the first reload of a stack that is started without an app. */
  readonly instances: readonly Instance[];
  /** See {@link ReloadableStack}. */
  reload(appFolder: string): Promise<void>;
}

/** Instances with the same code. */
interface Deployment {
  appFolder: string;
  instances: readonly Instance[];
}

/** Opens the app's address. If the app's folder is given, also starts the app. */
export async function startApp(given: AppOptions): Promise<StackApp> {
  const { options, ends, publicPort, spares } = given;
  const { appFolder, instances: count = 1, onProgress = () => {} } = options;
  // A single instance is reached directly, unless another one can replace it.
  const hasRouter = count > 1 || appFolder === undefined;
  const url = `http://127.0.0.1:${publicPort}`;
  const started = new Set<Instance>();
  let current: Deployment | undefined;
  if (hasRouter) {
    const router = await startRouter(publicPort, () => current?.instances.filter(takesConnections) ?? []);
    ends.unshift(router.close);
  }
  ends.unshift(() => Promise.all([...started].map((instance) => instance.drain())));
  const deploy = async (folder: string, firstNumber: number): Promise<void> => {
    const toInstance = async (_: unknown, index: number): Promise<Instance> => {
      const port = hasRouter ? await freePort() : publicPort;
      return makeInstance({ ...given, url, appFolder: folder, port, number: firstNumber + index, index });
    };
    const instances = await Promise.all(Array.from({ length: count }, toInstance));
    const end = (how: 'kill' | 'drain', which: readonly Instance[]) =>
      Promise.all(which.map((each) => each[how]().finally(() => started.delete(each))));
    for (const each of instances) started.add(each);
    const previous = current;
    // One task hub uses one host.json, that of the first instance that connects.
    if (previous && hostJsonOf(previous.appFolder) !== hostJsonOf(folder)) await end('drain', previous.instances);
    if (previous === undefined) current = { appFolder: folder, instances };
    try {
      await Promise.all(instances.map((instance) => instance.start()));
    } catch (error: unknown) {
      await end('kill', instances);
      if (previous === undefined) current = undefined;
      throw error;
    }
    current = { appFolder: folder, instances };
    spares.prepare();
    if (previous) await end('drain', previous.instances);
  };
  if (appFolder !== undefined) {
    await deploy(appFolder, 1);
    onProgress(count === 1 ? 'Functions host is running' : `${count} instances of the app are running at ${url}`);
  }
  return {
    url,
    get instances() {
      return current?.instances ?? [];
    },
    // Two deployments run at the same time for a moment. Names are reused, so that the number of logs does not grow.
    reload: (folder) => deploy(folder, isFirstNumber(current, 1) ? count + 1 : 1),
  };
}

const isFirstNumber = (deployment: Deployment | undefined, number: number): boolean =>
  deployment?.instances[0]?.name === `host-${number}`;

const hostJsonOf = (appFolder: string): string => readFileSync(join(appFolder, 'host.json'), 'utf8');

interface InstanceStart extends AppOptions {
  url: string;
  appFolder: string;
  port: number;
  number: number;
  index: number;
}

function makeInstance(start: InstanceStart): Instance {
  const { options, url, appFolder, port, number, index, taskHubUrl, settings, onDeath, spares } = start;
  const { folder, restart = true, graceMs = GRACE_MS, onProgress = () => {}, onHostOutput } = options;
  const instance: HostName = `host-${number}`;
  const isAlone = (options.instances ?? 1) === 1;
  const args = [
    ...(taskHubUrl === undefined ? [] : ['--task-hub', taskHubUrl]),
    ...['--public-url', url],
    ...['--grace-ms', String(graceMs)],
    ...(options.hostArguments ?? []),
    // One list of functions is enough. The first instance always exists.
    ...(index === 0 ? [] : ['--no-function-list']),
  ];
  const onOutput = onHostOutput && (isAlone ? onHostOutput : relayInstance(instance, onHostOutput));
  const enforceKeys = options.enforceKeys ?? true;
  return createInstance({
    ...{ name: instance, port, restart, graceMs: graceMs + HOST_END_MS, onDeath, onMessage: onProgress },
    launch: (signal) =>
      launchHost(folder, {
        ...{ appFolder, port, settings, instance, args, enforceKeys, onOutput, signal },
        spare: spares.take(),
      }),
  });
}

/** Adds the name of the instance to each line. Omits the instance's own address, since clients use the router's. */
function relayInstance(instance: HostName, relay: OutputListener): OutputListener {
  return (line, stream) => {
    if (readHostUrl(line) === undefined) relay(`${instance}: ${line}`, stream);
  };
}

/** A frozen instance still has its listener. As on Azure, it receives connections until it is detected. */
const takesConnections = ({ state }: Instance): boolean => state === 'running' || state === 'frozen';
