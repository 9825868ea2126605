import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FILES, type LocalStack, startStack as startLocalStack } from 'functions-local';
import { sluiceStack } from '../../demo/stack.ts';

/** How a stack for tests differs from the one of `npm start`. */
export interface TestStackOptions {
  /** Settings that win over the usual ones. */
  settings?: Record<string, string>;
  /** Default: the repository, with its own workloads. */
  appFolder?: string;
  entities?: unknown;
  /** Default 1. */
  instances?: number;
}

/** A whole local stack in a folder of its own. The app is the built one: `npm test` builds before. */
export interface TestStack
  extends Pick<LocalStack, 'url' | 'keys' | 'storage' | 'serviceBus' | 'folder' | 'instances'> {
  hostPid(): number;
  /** SIGKILL, as a crash of the instance. */
  killHost(): Promise<void>;
  /** SIGTERM: running invocations end first. */
  stopHost(): Promise<void>;
  /** Starts the host again, with the same address and data. */
  restartHost(): Promise<void>;
  killBroker(): Promise<void>;
  restartBroker(): Promise<void>;
  /** SIGTERM: it saves what it has. After a SIGKILL it would lack the last seconds, which no Azure service ever does. */
  stopAzurite(): Promise<void>;
  restartAzurite(): Promise<void>;
  /** All that the hosts have written so far, over all their starts. */
  hostLog(): Promise<string>;
  /** A request with the function key; `path` begins after `/api/`. */
  api(path: string, init?: RequestInit): Promise<Response>;
  /** Stops all parts; removes the folder, unless `keep` says that somebody wants to look into it. */
  stop(options?: { keep?: boolean }): Promise<void>;
}

/** Brings up Azurite, broker and host with the app, on free ports. */
export async function startStack(options: TestStackOptions = {}): Promise<TestStack> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  const { settings = {}, instances: count = 1, ...overrides } = options;
  const stack = await startLocalStack({ ...sluiceStack(folder, settings, count), ...overrides });
  const { url, keys, storage, serviceBus, instances, broker, azurite } = stack;
  const [host] = instances;
  return {
    ...{ url, keys, storage, serviceBus, folder, instances },
    hostPid: () => host.process.pid,
    killHost: () => host.kill(),
    stopHost: () => host.drain(),
    restartHost: () => host.start(),
    killBroker: () => broker.kill(),
    restartBroker: () => broker.start(),
    stopAzurite: () => azurite.stop(),
    restartAzurite: () => azurite.start(),
    hostLog: () => hostLog(join(folder, FILES.logs)),
    api: (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has('x-functions-key')) headers.set('x-functions-key', keys.function);
      return fetch(`${url}/api/${path}`, { ...init, headers });
    },
    stop: async ({ keep = false } = {}) => {
      await stack.stop();
      if (!keep) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function hostLog(logs: string): Promise<string> {
  const names = (await readdir(logs)).filter((name) => name.startsWith('host-'));
  return (await Promise.all(names.map((name) => readFile(join(logs, name), 'utf8')))).join('');
}
