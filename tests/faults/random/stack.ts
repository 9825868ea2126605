/** One whole stack for many concurrent runs; every part of it can have faults. */

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TableClient } from '@azure/data-tables';
import { QueueServiceClient } from '@azure/storage-queue';
import { type Instance, type Intercept, type LocalStack, startStack } from 'functions-local';
import { CONTAINERS, TABLES } from '../../../shared/contract/names.ts';
import { type Api, createApi } from '../harness/api.ts';
import { listenForDurable } from '../harness/durable-faults.ts';
import { relayedEntities, SUBSCRIPTIONS } from '../harness/entities.ts';
import { faultSettings } from '../harness/settings.ts';
import type { StackPlan } from './plan.ts';
import { createStalling } from './stalling.ts';

/** A part of the stack other than the instances. */
export type PartName = 'azurite' | 'broker' | 'taskHub';

/** Each fault resolves when it is over, with false if it was skipped because the part already had another one. */
export interface FaultStack extends Pick<LocalStack, 'url' | 'keys' | 'serviceBus' | 'failed'> {
  api: Api;
  batches: TableClient;
  gates: TableClient;
  queues: QueueServiceClient;
  /** The folder where the handlers' calls are counted. */
  callsFolder: string;
  /** Ends a part, and starts it again after `ms`. */
  restart(part: PartName, ms: number, how: 'kill' | 'stop'): Promise<boolean>;
  /** Stops storage's clock for `ms`. */
  freezeStorage(ms: number): Promise<boolean>;
  /** Ends an instance (by its index, modulo their number), and starts it again after `ms`. */
  restartInstance(index: number, ms: number, how: 'kill' | 'drain'): Promise<boolean>;
  /** Freezes an instance for `ms`. It then continues its work, even if others have taken it over. */
  freezeInstance(index: number, ms: number): Promise<boolean>;
  /**
   * Lets the next slice that ends exceed functionTimeout, whatever its instance. If another fault ends that process first,
   * the next slice does it.
   */
  stallInvocation(): Promise<void>;
  /** The next change of the durable task hub fails, before its effect or after it. */
  failDurable(phase: 'before' | 'after'): void;
  /** Waits for the faults in progress, then stops all parts. */
  stop(): Promise<void>;
}

export interface FaultStackOptions extends StackPlan {
  appFolder: string;
  folder: string;
  intercept: Intercept;
  /** Called when an invocation has exceeded functionTimeout and its process has ended. */
  onTimeout: () => void;
}

/** How the stack reports that. */
const TIMED_OUT = /exceeded functionTimeout/;

/** Direct clients retry soon or not at all, because their callers have loops of their own. */
const DIRECT = { retryOptions: { maxRetries: 1, retryDelayInMs: 100 }, allowInsecureConnection: true };

export async function startFaultStack(options: FaultStackOptions): Promise<FaultStack> {
  const { appFolder, folder, intercept, clockOffsetsMs, onTimeout } = options;
  const callsFolder = join(folder, 'calls');
  await mkdir(callsFolder, { recursive: true });
  const failing: ('before' | 'after')[] = [];
  const durable = await listenForDurable(async (_operation, phase) => {
    if (failing[0] !== phase) return true;
    failing.shift();
    return false;
  });
  const stalling = createStalling(callsFolder);
  const stack = await startStack({
    ...{ appFolder, folder, entities: relayedEntities() },
    layout: { containers: Object.values(CONTAINERS), tables: Object.values(TABLES) },
    settings: (connections) =>
      faultSettings({ appFolder, ...connections, subscription: SUBSCRIPTIONS.relayed, clockOffsetsMs, callsFolder }),
    ...{ instances: clockOffsetsMs.length, restart: false, storageClient: { intercept }, durableFaultUrl: durable.url },
    onProgress: (message) => {
      if (!TIMED_OUT.test(message)) return;
      stalling.ended();
      onTimeout();
    },
  });
  const { url, keys, serviceBus, failed } = stack;
  const { over, ...faults } = hurting(stack);
  return {
    ...{ url, keys, serviceBus, failed, callsFolder, api: createApi(url, keys.function) },
    ...directClients(stack.azurite.process.ready),
    ...faults,
    failDurable: (phase) => void failing.push(phase),
    stallInvocation: stalling.request,
    stop: async () => {
      stalling.stop();
      await over();
      await stack.stop();
      durable.close();
    },
  };
}

function directClients(direct: string): Pick<FaultStack, 'batches' | 'gates' | 'queues'> {
  return {
    batches: TableClient.fromConnectionString(direct, TABLES.batches, DIRECT),
    gates: TableClient.fromConnectionString(direct, TABLES.gates, DIRECT),
    queues: QueueServiceClient.fromConnectionString(direct, { retryOptions: { maxTries: 2, retryDelayInMs: 100 } }),
  };
}

type Faults = Pick<FaultStack, 'restart' | 'freezeStorage' | 'restartInstance' | 'freezeInstance'>;

/**
 * Faults of whole parts: SIGKILL, SIGTERM, SIGSTOP. The storage front injects faults of single calls. A part stopped by
 * SIGSTOP answers no client, also not past the front. A fault of a part that already has another one is skipped.
 */
function hurting(stack: LocalStack): Faults & { over(): Promise<void> } {
  const underWay = new Map<object, Promise<void>>();
  const alone = async (part: object, work: () => Promise<void>): Promise<boolean> => {
    if (underWay.has(part)) return false;
    const working = work().finally(() => underWay.delete(part));
    underWay.set(part, working);
    await working;
    return true;
  };
  return {
    restart: (name, ms, how) =>
      alone(stack[name], async () => {
        await stack[name][how]();
        await sleep(ms);
        await stack[name].start();
      }),
    freezeStorage: (ms) =>
      alone(stack.azurite, async () => {
        stack.azurite.process.freeze();
        await sleep(ms);
        stack.azurite.process.thaw();
      }),
    restartInstance: (index, ms, how) =>
      alone(instanceAt(stack, index), async () => {
        await instanceAt(stack, index)[how]();
        await sleep(ms);
        await startAgain(instanceAt(stack, index));
      }),
    freezeInstance: (index, ms) =>
      alone(instanceAt(stack, index), async () => {
        instanceAt(stack, index).freeze();
        await sleep(ms);
        instanceAt(stack, index).thaw();
      }),
    over: async () => {
      await Promise.allSettled(underWay.values());
    },
  };
}

const instanceAt = ({ instances }: LocalStack, index: number): Instance =>
  instances[index % instances.length] ?? instances[0];

const STARTS = 10;
const START_PAUSE_MS = 1_000;

/** A host without a task hub or storage at its start ends; the platform starts it again until it finds them. */
async function startAgain(instance: Instance): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await instance.start();
    } catch (error) {
      if (tries === STARTS) throw error;
    }
    await sleep(START_PAUSE_MS);
  }
}
