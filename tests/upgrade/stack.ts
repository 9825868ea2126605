/** A local stack whose hosts are started one by one, each with its own code. The only file here that imports the app's stack. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ClientOptions,
  FILES,
  freePort,
  type HostLaunch,
  launchHost,
  type ReloadableStack,
  startReloadableStack,
} from 'functions-local';
import { stackOptions } from '../../local/stack-options.ts';
import { DEFAULTS } from '../../shared/settings.ts';
import { apiOf, type TestStack } from '../helpers/stack.ts';
import { registry } from './app/registry.ts';

/** A running instance of the app. */
export interface Host extends Pick<TestStack, 'api'> {
  /** SIGKILL, as a crash. */
  kill(): Promise<void>;
  /** SIGTERM, as at a deployment: running invocations end first. */
  drain(): Promise<void>;
}

/** Storage, broker and task hub, and the hosts that a test starts. */
export interface Services {
  folder: string;
  /** Storage past the front: for preparations and checks. */
  storage: string;
  serviceBus: string;
  /** File of the task hub. It is closed while no host is running. */
  hubFile: string;
  /** Starts an instance with the code in `appFolder`. Its name is `host-<number>`. */
  startHost(appFolder: string, number: number): Promise<Host>;
  /** While held, items that say `hold` wait. */
  hold(isHeld: boolean): Promise<void>;
  /** The handlers' calls so far. */
  calls(): Promise<Call[]>;
  stop(): Promise<void>;
}

/** One call of a handler. */
export interface Call {
  instance: string;
  batch: string;
  n: number;
}

export interface ServicesOptions {
  settings?: Record<string, string>;
  /** How storage behaves towards the hosts. */
  storageClient?: ClientOptions;
}

/** The timer of the sweep would interfere: a test calls the sweep. */
const SETTINGS = { SLUICE_SWEEP_SCHEDULE: '0 0 0 29 2 *', SLUICE_INBOX_SCHEDULE: '', SLUICE_THREADS: '4' };
const GRACE_MS = 10_000;

/** Starts the services in a folder, which may contain the state of a task hub. */
export async function startServices(folder: string, options: ServicesOptions = {}): Promise<Services> {
  const overrides: Record<string, string> = { ...SETTINGS, ...options.settings };
  const given = stackOptions(folder, registry, overrides, 2);
  const { storageClient } = options;
  await mkdir(join(folder, 'calls'), { recursive: true });
  const stack = await startReloadableStack({ ...given, ...(storageClient && { storageClient }) });
  const settings = ownDefaults(given.settings(stack), overrides);
  const hosts: Host[] = [];
  return {
    folder,
    storage: stack.azurite.process.ready,
    serviceBus: stack.serviceBus,
    hubFile: hubFileIn(folder),
    startHost: async (appFolder, number) => {
      const host = await startHost(stack, { appFolder, settings: { ...settings, UPGRADE_FOLDER: folder } }, number);
      hosts.push(host);
      return host;
    },
    hold: (isHeld) => (isHeld ? writeFile(join(folder, 'hold'), '') : rm(join(folder, 'hold'), { force: true })),
    calls: () => readCalls(join(folder, 'calls')),
    stop: async () => {
      await Promise.all(hosts.map((host) => host.kill()));
      await stack.stop();
    },
  };
}

/** The file of the task hub of a stack in this folder. */
export const hubFileIn = (folder: string): string => join(folder, FILES.hostState, FILES.taskHub);

/** Each version must use its own defaults, as in a deployment that sets nothing else. */
function ownDefaults(settings: Record<string, string>, overrides: Record<string, string>): Record<string, string> {
  const isDefault = (name: string): boolean => name in DEFAULTS && !(name in overrides);
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !isDefault(name)));
}

async function startHost(
  { folder, keys, taskHub }: ReloadableStack,
  launch: Pick<HostLaunch, 'appFolder' | 'settings'>,
  number: number,
): Promise<Host> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const running = await launchHost(folder, {
    ...launch,
    ...{ port, instance: `host-${number}` },
    args: ['--task-hub', taskHub.process.ready, '--public-url', url, '--grace-ms', String(GRACE_MS)],
  });
  return {
    api: apiOf({ url, keys }),
    kill: async () => void (await running.kill()),
    drain: async () => void (await running.stop(2 * GRACE_MS)),
  };
}

async function readCalls(folder: string): Promise<Call[]> {
  if (!existsSync(folder)) return [];
  const read = async (name: string): Promise<Call[]> => {
    const [instance = ''] = name.split('.');
    const lines = (await readFile(join(folder, name), 'utf8')).split('\n').filter((line) => line !== '');
    return lines.map((line) => {
      const [batch = '', n] = line.split(' ');
      return { instance, batch, n: Number(n) };
    });
  };
  return (await Promise.all((await readdir(folder)).map(read))).flat();
}
