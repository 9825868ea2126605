import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FILES, type Instance, type LocalStack, startStack as startLocalStack } from 'functions-local';
import { sluiceStack } from '../../demo/stack.ts';

/** The differences of a test stack from the one of `npm start`. */
export interface TestStackOptions {
  /** Settings that override the usual ones. */
  settings?: Record<string, string>;
  /** Defaults to the repository, with its own workloads. */
  appFolder?: string;
  entities?: unknown;
  /** Defaults to SLUICE_TEST_INSTANCES (`npm run test:instances`), or else 1. */
  instances?: number;
}

/** A whole local stack in a separate folder. The app is the built one: `npm test` builds before. */
export interface TestStack
  extends Pick<LocalStack, 'url' | 'keys' | 'storage' | 'serviceBus' | 'folder' | 'instances'> {
  /** SIGKILL of all instances, as a crash of each. */
  killHosts(): Promise<void>;
  /** SIGTERM of all instances: running invocations end first. */
  stopHosts(): Promise<void>;
  /** Starts the stopped instances again, with the same addresses and data. */
  restartHosts(): Promise<void>;
  killBroker(): Promise<void>;
  restartBroker(): Promise<void>;
  /**
   * SIGTERM, so that it saves its data. After a SIGKILL, the last seconds would be lost, which does not happen in
   * Azure.
   */
  stopAzurite(): Promise<void>;
  restartAzurite(): Promise<void>;
  /** The whole output of the hosts so far, over all their starts, one instance after the other. */
  hostLog(): Promise<string>;
  /** A request with the function key; `path` begins after `/api/`. */
  api(path: string, init?: RequestInit): Promise<Response>;
  /** Stops all parts; removes the folder, unless `keep` is set for an inspection. */
  stop(options?: { keep?: boolean }): Promise<void>;
}

const DEFAULT_INSTANCES = Number(process.env.SLUICE_TEST_INSTANCES ?? 1);

/** Brings up Azurite, broker and host with the app, on free ports. */
export async function startStack(options: TestStackOptions = {}): Promise<TestStack> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  const { settings = {}, instances: count = DEFAULT_INSTANCES, ...overrides } = options;
  const stack = await startLocalStack({ ...sluiceStack(folder, settings, count), ...overrides });
  const { url, keys, storage, serviceBus, instances, broker, azurite } = stack;
  const each = async (work: (instance: Instance) => Promise<void>): Promise<void> => {
    await Promise.all(instances.map(work));
  };
  return {
    ...{ url, keys, storage, serviceBus, folder, instances },
    killHosts: () => each((instance) => instance.kill()),
    stopHosts: () => each((instance) => instance.drain()),
    restartHosts: () => each((instance) => instance.start()),
    killBroker: () => broker.kill(),
    restartBroker: () => broker.start(),
    stopAzurite: () => azurite.stop(),
    restartAzurite: () => azurite.start(),
    hostLog: () => hostLog(join(folder, FILES.logs)),
    api: apiOf({ url, keys }),
    stop: async ({ keep = false } = {}) => {
      await stack.stop();
      if (!keep) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Makes requests with the function key to a stack that may belong to another process. */
export const apiOf =
  ({ url, keys }: Pick<TestStack, 'url' | 'keys'>): TestStack['api'] =>
  (path, init = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has('x-functions-key')) headers.set('x-functions-key', keys.function);
    return fetch(`${url}/api/${path}`, { ...init, headers });
  };

async function hostLog(logs: string): Promise<string> {
  const names = (await readdir(logs)).filter((name) => name.startsWith('host-'));
  return (await Promise.all(names.map((name) => readFile(join(logs, name), 'utf8')))).join('');
}
