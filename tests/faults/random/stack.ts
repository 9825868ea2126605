/** One whole stack for many runs at once, every part of which can be hurt. */

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TableClient } from '@azure/data-tables';
import { QueueServiceClient } from '@azure/storage-queue';
import {
  connectionString,
  createStorageFront,
  FILES,
  freePort,
  type Intercept,
  launchBroker,
  launchStorage,
  makeStorage,
  type Part,
  startPart,
} from 'functions-local';
import { CONTAINERS, TABLES } from '../../../shared/contract/names.ts';
import { type Api, createApi } from '../harness/api.ts';
import { relayedEntities, SUBSCRIPTIONS } from '../harness/entities.ts';
import { listenForDurable, startHostPart } from '../harness/host-part.ts';

/** A part of the stack. */
export type PartName = 'storage' | 'broker' | 'host';

export interface FaultStack {
  api: Api;
  url: string;
  batches: TableClient;
  gates: TableClient;
  queues: QueueServiceClient;
  serviceBus: string;
  /** Ends a part, leaves it away for `ms`, and starts it again; false when somebody else is at it. */
  restart(part: PartName, ms: number, how: 'kill' | 'stop'): Promise<boolean>;
  /** Stops storage's clock for `ms`; false when somebody else is at it. */
  freezeStorage(ms: number): Promise<boolean>;
  /** The next change of the durable backend fails, before its effect or after it. */
  failDurable(phase: 'before' | 'after'): void;
  stop(): Promise<void>;
}

export interface FaultStackOptions {
  appFolder: string;
  folder: string;
  intercept: Intercept;
  hostClockOffsetMs: number;
}

/** Direct clients ask again soon or not at all: whoever asks has a loop of its own. */
const DIRECT = { retryOptions: { maxRetries: 1, retryDelayInMs: 100 }, allowInsecureConnection: true };

export async function startFaultStack(options: FaultStackOptions): Promise<FaultStack> {
  const { appFolder, folder, intercept, hostClockOffsetMs } = options;
  await mkdir(join(folder, FILES.storage), { recursive: true });
  await writeFile(join(folder, FILES.entities), JSON.stringify(relayedEntities()));
  const services = { blob: await freePort(), queue: await freePort(), table: await freePort() };
  const storage = await startPart(() => launchStorage(folder, services), console.error);
  const direct = connectionString(services);
  await makeStorage(direct, { containers: Object.values(CONTAINERS), tables: Object.values(TABLES) });
  const brokerPort = await freePort();
  const broker = await startPart(() => launchBroker(folder, brokerPort), console.error);
  const front = createStorageFront({ services });
  const app = await front.addClient({ intercept });
  const failing: ('before' | 'after')[] = [];
  const durable = await listenForDurable(async (_operation, phase) => {
    if (failing[0] !== phase) return true;
    failing.shift();
    return false;
  });
  const host = await startHostPart({
    ...{ appFolder, folder, storage: app.connectionString(), serviceBus: broker.process.ready },
    ...{ subscription: SUBSCRIPTIONS.relayed, faultUrl: durable.url, clockOffsetMs: hostClockOffsetMs },
  });
  const parts = { storage, broker, host: host.part };
  return {
    api: createApi(host.url),
    url: host.url,
    ...directClients(direct),
    serviceBus: broker.process.ready,
    ...hurting(parts),
    failDurable: (phase) => void failing.push(phase),
    stop: async () => {
      for (const part of [host.part, broker, storage]) await part.stop();
      durable.close();
      front.close();
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

/**
 * Faults of whole parts: SIGKILL, SIGTERM, SIGSTOP. Faults of single calls are the front's; a part that is stopped by
 * SIGSTOP answers none of its clients, past the front either. A fault of a part that still suffers another is left out.
 */
function hurting(parts: Record<PartName, Part<string>>): Pick<FaultStack, 'restart' | 'freezeStorage'> {
  const hurt = new Set<PartName>();
  const alone = async (name: PartName, work: () => Promise<void>): Promise<boolean> => {
    if (hurt.has(name)) return false;
    hurt.add(name);
    try {
      await work();
    } finally {
      hurt.delete(name);
    }
    return true;
  };
  return {
    restart: (name, ms, how) =>
      alone(name, async () => {
        await (how === 'kill' ? parts[name].kill() : parts[name].stop());
        await sleep(ms);
        await parts[name].start();
      }),
    freezeStorage: (ms) =>
      alone('storage', async () => {
        parts.storage.process.freeze();
        await sleep(ms);
        parts.storage.process.thaw();
      }),
  };
}
