/**
 * The whole pipeline on a real Azurite, with a durable client and a topic that do what a test says: queues are drained
 * only when a wake was published or an orchestration started, so that what nobody was told of stays where it is.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TableServiceClient } from '@azure/data-tables';
import { z } from 'zod';
import { startAzurite } from '../../../local/azurite.ts';
import { freePort } from '../../../local/ports.ts';
import type { BatchRow } from '../../../shared/batches/batch-row.ts';
import { chunkRows, readBatch } from '../../../shared/batches/ledger.ts';
import { noteKeys } from '../../../shared/batches/open-rows.ts';
import { type Clients, createClients } from '../../../shared/clients.ts';
import { CONTAINERS, TABLES } from '../../../shared/contract/names.ts';
import { createMeter } from '../../../shared/cost/meter.ts';
import { createActivities } from '../../../shared/drain/activities.ts';
import type { DrainInput } from '../../../shared/drain/drain-queue.ts';
import { createGateDeps } from '../../../shared/drain/drains.ts';
import { createPlanner } from '../../../shared/drain/planner.ts';
import { queueDepth } from '../../../shared/drain/settle.ts';
import { emptyTally } from '../../../shared/drain/slice.ts';
import { submit } from '../../../shared/intake/submit.ts';
import { createBoard } from '../../../shared/processing/board.ts';
import { createItemsRound } from '../../../shared/processing/items-round.ts';
import { runChunk } from '../../../shared/processing/run-chunk.ts';
import { createSharedLock } from '../../../shared/processing/shared-lock.ts';
import { createCollectRound } from '../../../shared/results/collect-round.ts';
import type { FinalizeDeps } from '../../../shared/results/finalize.ts';
import { readReport } from '../../../shared/results/read-report.ts';
import { readSettings } from '../../../shared/settings.ts';
import { choresNote } from '../../../shared/sweep/chores.ts';
import type { SweepDeps } from '../../../shared/sweep/run.ts';
import { wake } from '../../../shared/wake/gate.ts';
import { receive } from '../../../shared/wake/messages.ts';
import type { Publish } from '../../../shared/wake/publish.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { Reject, Retry } from '../../../shared/workload/errors.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';

/** What the downstream is like just now. */
export const downstream = { broken: new Set<string>(), version: 1 };

const item = z.object({ id: z.string(), part: z.string(), amount: z.number(), later: z.boolean().optional() });
/** Fails items whose part is broken: as rejected, or, if they say `later`, for a retry that never comes in a test. */
const echo = defineWorkload({
  name: 'echo',
  version: 1,
  item,
  map: ({ id, part, amount, later }) => {
    if (downstream.broken.has(part))
      throw later ? new Retry('later', { after: 3_600 }) : new Reject(`${part} is broken`);
    return { id, part, amount };
  },
  reduce: {
    key: ({ part }) => part,
    init: () => ({ items: 0, amount: 0 }),
    add: (acc, { amount }) => ({ items: acc.items + 1, amount: acc.amount + amount }),
    merge: (a, b) => ({ items: a.items + b.items, amount: a.amount + b.amount }),
  },
  chunk: { maxItems: 3 },
  retentionDays: 30,
});

export interface Item {
  id: string;
  part: string;
  amount: number;
  later?: boolean;
}

/** `count` items, spread over parts a, b and c. */
export const itemsOf = (count: number): Item[] =>
  Array.from({ length: count }, (_, n) => ({ id: `i${n}`, part: 'abc'[n % 3] ?? 'a', amount: n }));

export interface World {
  clients: Clients;
  deps: SweepDeps;
  client: {
    /** Instances that were started and have not run yet. */
    started: DrainInput[];
    statuses: Map<string, string>;
    broken: boolean;
    purged: { from: Date; to: Date }[];
  };
  /** Published and not delivered; `at` of a scheduled one is never reached. */
  events: { type: string; queue: string; batch: string | undefined; scheduled: boolean }[];
  topic: { broken: boolean };
  /** Adds to the time that everybody knows but the storage, which dates what it writes by its own clock. */
  wait: (ms: number) => void;
  /** Back to the storage's time, with gates that nobody has touched; `chores: true` has the next sweep do them. */
  reset: (options?: { chores: boolean }) => Promise<void>;
  submit: (items: readonly Item[], options?: { key?: string; deps?: SweepDeps }) => Promise<BatchRow>;
  /** Delivers wakes and runs drains until nothing is under way. */
  settle: () => Promise<void>;
  /** Drains one queue without anybody having been told. */
  drainUnasked: (queue: string) => Promise<void>;
  /** Collects one round of results with other dependencies. */
  collectAs: (change: (deps: FinalizeDeps) => FinalizeDeps) => Promise<void>;
  /** Takes one message of a queue, as if a drain had died after it. */
  drainOne: (queue: string) => Promise<void>;
  batch: (id: string) => Promise<BatchRow>;
  report: (id: string, revision: number) => Promise<Record<string, unknown>>;
  stop: () => Promise<void>;
}

export async function startWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-sweep-'));
  const ports = { blob: await freePort(), queue: await freePort(), table: await freePort() };
  const azurite = await startAzurite({ folder, ports, logFile: join(folder, 'azurite.log') });
  const settings = readSettings({
    SluiceStorage: azurite.ready,
    SluiceServiceBus: 'Endpoint=sb://localhost;SharedAccessKeyName=none;SharedAccessKey=none',
  });
  const meter = createMeter();
  const clients = createClients(settings, meter);
  const tables = TableServiceClient.fromConnectionString(azurite.ready, { allowInsecureConnection: true });
  for (const name of Object.values(TABLES)) await tables.createTable(name);
  for (const name of Object.values(CONTAINERS)) await clients.container(name).create();
  const registry = createRegistry([echo]);
  let offsetMs = 0;
  const now = (): number => meter.serviceNowMs() + offsetMs;
  const events: World['events'] = [];
  const topic = { broken: false };
  const publish: Publish = async ({ queue }, { type, batch }, options) => {
    if (topic.broken) throw new Error('The topic does not answer.');
    events.push({ type, queue, batch, scheduled: options?.at !== undefined });
  };
  const client: World['client'] = { started: [], statuses: new Map(), broken: false, purged: [] };
  const durable = {
    startNew: async (_name: string, options?: { instanceId?: string; input?: unknown }) => {
      if (client.broken) throw new Error('The runtime does not answer.');
      const { instanceId = '', input } = options ?? {};
      client.started.push(input as DrainInput);
      client.statuses.set(instanceId, 'Running');
      return instanceId;
    },
    getStatus: async (instanceId: string) => {
      if (client.broken) throw new Error('The runtime does not answer.');
      const runtimeStatus = client.statuses.get(instanceId);
      if (runtimeStatus === undefined) throw new Error('DurableClient error: HTTP 404');
      return { runtimeStatus } as never;
    },
  };
  const visibilitySeconds = 30;
  const depthOf = (queue: string): Promise<number> => queueDepth(clients.queue(queue));
  const plan = createPlanner({ table: clients.gates, sliceSeconds: 5, visibilitySeconds, capacity: 100 });
  const shared = {
    queues: clients.queue,
    registry,
    publish,
    meter,
    table: clients.batches,
    container: clients.container,
    visibilitySeconds,
    addressOf: ({ workload, lane }: { workload: string; lane: string }) => registry.queue(`${workload}-${lane}-0`),
    gate: createGateDeps({ table: clients.gates, now, registry, depthOf, plan }, durable),
  };
  const tools = {
    clockMs: () => performance.now(),
    random: () => 0,
    log: () => undefined,
    container: () => ({}) as never,
  };
  const itemsDeps = {
    ...shared,
    processor: {
      threads: 2,
      process: ({ reference, frame, nowMs }: { reference: never; frame: Uint8Array; nowMs: number }) =>
        runChunk(
          { ...echo, version: downstream.version },
          { reference, frame, board: createBoard(), nowMs, presets: [], single: false, budgetMs: 60_000 },
          tools as never,
        ),
    },
    lock: createSharedLock(),
    batchState: async (batch: string) => (await readBatch(clients.batches, batch))?.row.state,
  };
  const activities = createActivities({
    ...shared,
    depthOf,
    plan,
    concurrentActivities: 2,
    activityVisibilitySeconds: 60,
    roundFor: (address) =>
      address.kind === 'results' ? createCollectRound(shared, address) : createItemsRound(itemsDeps as never, address),
  });
  const deps: SweepDeps = {
    ...shared,
    keys: clients.keys,
    depthOf,
    plan,
    activities,
    purgeDrains: async (from, to) => {
      client.purged.push({ from, to });
      return 0;
    },
    pool: undefined,
  };
  const roundOf = (queue: string) => {
    const address = registry.queue(queue);
    if (!address) throw new Error(`There is no queue ${queue}.`);
    return address.kind === 'results'
      ? createCollectRound(shared, address)
      : createItemsRound(itemsDeps as never, address);
  };
  const drainOne = async (queue: string, most = 1): Promise<boolean> => {
    const messages = await receive(clients.queue(queue), most, visibilitySeconds);
    if (messages.length > 0) await roundOf(queue)(messages);
    return messages.length > 0;
  };
  const drainUnasked = async (queue: string): Promise<void> => {
    while (await drainOne(queue, 32));
  };
  const runDrain = async ({ queue, generation }: DrainInput): Promise<void> => {
    for (let goesOn = true; goesOn; ) {
      await drainUnasked(queue);
      const slice = { ...emptyTally(), ended: 'empty' as const, seconds: 0.1 };
      goesOn = (await activities.settleQueue({ queue, generation, slices: [slice] })).next !== undefined;
    }
    client.statuses.set(`drain-${queue}-${generation}`, 'Completed');
  };
  const settle = async (): Promise<void> => {
    for (;;) {
      const wakes = events.filter(({ type, scheduled }) => type === 'QueueWorkDetected' && !scheduled);
      events.splice(0, events.length, ...events.filter((event) => !wakes.includes(event)));
      for (const { queue } of wakes) await wake(deps.gate, queue);
      const drains = client.started.splice(0);
      if (wakes.length === 0 && drains.length === 0) return;
      for (const drain of drains) await runDrain(drain);
    }
  };
  return {
    clients,
    deps,
    client,
    events,
    topic,
    wait: (ms) => {
      offsetMs += ms;
    },
    reset: async ({ chores } = { chores: false }) => {
      offsetMs = 0;
      events.length = 0;
      client.started.length = 0;
      for await (const { partitionKey = '', rowKey = '' } of clients.gates.listEntities()) {
        await clients.gates.deleteEntity(partitionKey, rowKey);
      }
      const note = noteKeys(choresNote(undefined));
      await clients.batches.upsertEntity(
        { ...note, at: new Date(chores ? 0 : now()).toISOString(), left: false },
        'Replace',
      );
    },
    submit: (items, options = {}) =>
      submit(options.deps ?? deps, {
        workload: echo,
        key: options.key,
        source: { kind: 'http', name: 'test' },
        body: (async function* () {
          yield Buffer.from(items.map((each) => `${JSON.stringify(each)}\n`).join(''));
        })(),
        format: 'ndjson',
        encoding: 'identity',
        limits: settings,
      }),
    settle,
    drainUnasked,
    collectAs: async (change) => {
      const address = registry.queue('echo-results');
      const messages = await receive(clients.queue('echo-results'), 32, visibilitySeconds);
      if (address) await createCollectRound(change(shared), address)(messages);
    },
    drainOne: async (queue) => {
      await drainOne(queue);
    },
    batch: async (id) => {
      const found = await readBatch(clients.batches, id);
      if (!found) throw new Error(`There is no batch ${id}.`);
      await checkLaw(clients, found.row);
      return found.row;
    },
    report: async (id, revision) => {
      const report = await readReport(clients.container(CONTAINERS.reports), id, revision);
      const lines = report?.lines.map((line) => JSON.parse(line) as { key: string; value: unknown }) ?? [];
      return Object.fromEntries(lines.map(({ key, value }) => [key, value]));
    },
    stop: async () => {
      await clients.close();
      await azurite.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** accepted = succeeded + dead + cancelled + pending, with pending summed over the rows, from `queued` on. */
async function checkLaw(clients: Clients, row: BatchRow): Promise<void> {
  if (row.state === 'accepting') return;
  let pending = 0;
  let rows = 0;
  let done = 0;
  for await (const { row: chunk } of chunkRows(clients.batches, row.id)) {
    rows += 1;
    if (chunk.state === 'pending') pending += chunk.items;
    else done += 1;
  }
  const { accepted, succeeded, dead, cancelled, chunksTotal, chunksDone } = row;
  const holds = accepted === succeeded + dead + cancelled + pending && rows === chunksTotal && done === chunksDone;
  if (!holds) throw new Error(`The law is broken: ${JSON.stringify({ ...row, pending, rows, done })}`);
}

/** All that is stored: entities by table, blobs by container, messages are not told. */
export async function inventory(clients: Clients): Promise<string[]> {
  const found: string[] = [];
  for (const table of [TABLES.batches, TABLES.keys] as const) {
    for await (const { partitionKey, rowKey } of clients[table].listEntities()) {
      if (!rowKey?.startsWith('~')) found.push(`${table} ${partitionKey} ${rowKey}`);
    }
  }
  for (const name of Object.values(CONTAINERS)) {
    for await (const blob of clients.container(name).listBlobsFlat({ includeUncommitedBlobs: true })) {
      found.push(`${name} ${blob.name}`);
    }
  }
  return found;
}
