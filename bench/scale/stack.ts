/** The whole local stack for the scale measurements: real host processes over Azurite, behind the storage front. */
import { mkdir } from 'node:fs/promises';
import process from 'node:process';
import { type ClientOptions, FULL_PAGES, type LocalStack, startStack } from 'functions-local';
import { sluiceStack } from '../../demo/stack.ts';
import { type Events, listen } from '../stack/events.ts';
import { cpuSeconds } from '../stack/process-usage.ts';

/** On 29 February, because timers would add operations. */
const NEVER = '0 0 0 29 2 *';

/** A stack, and the events that the app publishes on its topic. */
export interface ScaleStack {
  stack: LocalStack;
  events: Events;
  /** For `bench/stack/api.ts`. */
  api: { url: string; key: string };
}

/** Starts a stack, passes it to `work`, and stops it. */
export async function onScaleStack<T>(
  options: {
    folder: string;
    appFolder: string;
    instances: number;
    settings?: Record<string, string>;
    storageClient?: ClientOptions;
  },
  work: (running: ScaleStack) => Promise<T>,
): Promise<T> {
  const { folder, appFolder, instances, settings, storageClient } = options;
  await mkdir(folder, { recursive: true });
  const quiet = { SLUICE_SWEEP_SCHEDULE: NEVER, SLUICE_INBOX_SCHEDULE: NEVER, ...settings };
  const stack = await startStack({
    ...sluiceStack(folder, quiet, instances, { bench: '1 = 1' }),
    ...{ appFolder, restart: false, storageClient: { pages: FULL_PAGES, ...storageClient } },
  });
  let events: Events | undefined;
  try {
    events = await listen(stack.serviceBus);
    const api = { url: stack.url, key: stack.keys.function };
    const death = stack.failed.then((message) => Promise.reject(new Error(message)));
    return await Promise.race([work({ stack, events, api }), death]);
  } finally {
    await events?.close();
    await stack.stop();
  }
}

/**
 * Returns the CPU seconds so far: of the app's instances, and of the whole run with storage, broker, task hub and the
 * bench itself.
 */
export async function cpuOf({
  instances,
  azurite,
  broker,
  taskHub,
}: LocalStack): Promise<Record<'instances' | 'all', number>> {
  const sum = async (pids: number[]): Promise<number> =>
    (await Promise.all(pids.map(cpuSeconds))).reduce((total, each) => total + each, 0);
  const own = await sum(instances.map((instance) => instance.process.pid));
  const others = await sum([azurite.process.pid, broker.process.pid, taskHub.process.pid, process.pid]);
  return { instances: own, all: own + others };
}
