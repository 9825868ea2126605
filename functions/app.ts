/** Where everything is wired: settings, clients and rules, made lazily and once a process. Registers nothing. */
import { randomUUID } from 'node:crypto';
import { app, type InvocationContext } from '@azure/functions';
import * as df from 'durable-functions';
import hostJson from '../host.json' with { type: 'json' };
import { isFinished } from '../shared/batches/batch-row.ts';
import { readBatch } from '../shared/batches/ledger.ts';
import type { DeleteDeps } from '../shared/commands/delete.ts';
import { createMeter } from '../shared/cost/meter.ts';
import { type PriceSheet, readPriceSheet } from '../shared/cost/sheet.ts';
import { type Activities, createActivities } from '../shared/drain/activities.ts';
import { createGateDeps, type DrainClient } from '../shared/drain/drains.ts';
import { queueDepth } from '../shared/drain/finish-wave.ts';
import { limitedClient, type RuntimeClient } from '../shared/drain/limited-client.ts';
import { createPlanner } from '../shared/drain/planner.ts';
import type { SubmitDeps } from '../shared/intake/submit.ts';
import { createItemsRound } from '../shared/processing/items-round.ts';
import { createSharedLock } from '../shared/processing/shared-lock.ts';
import { createProcessor, type Processor } from '../shared/processing/thread-pool/processor.ts';
import { createCollectRound } from '../shared/results/collect-round.ts';
import type { FinalizeDeps } from '../shared/results/finalize.ts';
import { readSettings, type Settings } from '../shared/settings.ts';
import { type Clients, createClients } from '../shared/storage/clients.ts';
import { type PurgeClient, purgeDrains } from '../shared/sweep/purge-drains.ts';
import type { SweepDeps } from '../shared/sweep/run.ts';
import { log } from '../shared/telemetry/log.ts';
import { type GateDeps, wake } from '../shared/wake/gate.ts';
import type { Queue } from '../shared/wake/messages.ts';
import { createPublisher, type Publish, withWakeFallback } from '../shared/wake/publish.ts';
import type { QueueAddress } from '../shared/workload/registry.ts';
import { registry } from '../workloads/index.ts';

export { registry };

/** The settings; read when the first function registers, so that a bad one stops the start with all problems at once. */
export const settings: Settings = readSettings(process.env);
/** Read at the start as well, since it may be a file. */
export const prices: PriceSheet = readPriceSheet(settings.priceSheet);

/** Built files load a built thread file, sources a source file: the extension is this file's own. */
const THREAD_URL = new URL(`../workloads/thread${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`, import.meta.url);
/** What host.json says of activities is what a healthy wave is measured by; it stands in one place. */
const { maxConcurrentActivityFunctions, storageProvider } = hostJson.extensions.durableTask;

app.setup({ enableHttpStream: true });

/** Waited for, so that the first invocation is in the traces already; without an exporter nothing is loaded. */
const telemetry =
  settings.telemetry &&
  (await (
    await import('../shared/telemetry/export/start.ts')
  ).startTelemetry({
    targets: settings.telemetry,
    resource: { 'service.name': 'sluice', 'service.instance.id': randomUUID(), 'sluice.pool': settings.pool ?? 'all' },
    operations: () => clients().meter.total(),
  }));

/** Seconds of a .NET time span, "hh:mm:ss". */
const timeSpanSeconds = (text: string): number => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);

/** Makes a value at its first use. */
function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

export const clients = lazily((): Clients => createClients(settings, createMeter()));
export const now = (): number => clients().meter.serviceNowMs();
const queues = (name: string): Queue => clients().queue(name);
const publish: Publish = (...event) => publisher()(...event);
const publisher = lazily(() =>
  createPublisher({ topic: clients().topic, account: clients().account, meter: clients().meter }),
);
export const depthOf = (queue: string): Promise<number> => queueDepth(clients().queue(queue));
const lock = createSharedLock();

const processor = lazily(
  (): Processor =>
    createProcessor({
      threadUrl: THREAD_URL,
      ...(settings.threads === 0 ? {} : { threads: settings.threads }),
      maxThreadMemoryMb: settings.threadMemoryMb,
      settings,
      log: (message, fields) => log.info('handler', { message, ...fields }),
    }),
);

const plan = lazily(() =>
  createPlanner({
    table: clients().gates,
    sliceSeconds: settings.sliceSeconds,
    visibilitySeconds: settings.visibilitySeconds,
    capacity: settings.capacity,
    now,
  }),
);

/** The gate as this invocation can work it: with the durable client of its own binding. */
export const gateWith = (client: DrainClient): GateDeps =>
  createGateDeps({ table: clients().gates, now, registry, depthOf, plan: plan() }, client);

const gate = lazily(() => ({ table: clients().gates, now }));
const shared = lazily(() => ({
  queues,
  registry,
  publish,
  gate: gate(),
  meter: clients().meter,
  container: clients().container,
  table: clients().batches,
  visibilitySeconds: settings.visibilitySeconds,
}));

/** Events about a batch carry its lane and the first of its queues. */
const addressOf = (batch: { workload: string; lane: string }): QueueAddress | undefined =>
  registry.queue(`${batch.workload}-${batch.lane}-0`);

export const finalizeDeps = lazily((): FinalizeDeps => ({ ...shared(), addressOf }));

/** Intake that wakes the gate itself where the topic cannot be reached, so that an accepted batch never waits for the sweep. */
export const submitDeps = (client: DrainClient): SubmitDeps => ({
  ...shared(),
  keys: clients().keys,
  publish: withWakeFallback(publish, (address) => {
    // Another pool's drain must not run in this app; its sweep finds the work.
    const isOthers = settings.pool !== undefined && settings.pool !== address.workload.pool;
    return isOthers ? undefined : wake(gateWith(client), address.queue);
  }),
});

/** For what operators do to a batch. */
export const operatorDeps = (client: DrainClient): DeleteDeps => ({ ...finalizeDeps(), ...submitDeps(client) });

/** The sweep, with the durable client of its own binding. */
export const sweepDeps = (client: DrainClient & PurgeClient): SweepDeps => ({
  ...finalizeDeps(),
  keys: clients().keys,
  queues: (name) => clients().queue(name),
  gate: gateWith(client),
  depthOf,
  plan: plan(),
  activities: activities(),
  purgeDrains: (from, to) => purgeDrains(client, from, to),
  pool: settings.pool,
});

export const activities = lazily(
  (): Activities =>
    createActivities({
      ...shared(),
      depthOf,
      plan: plan(),
      concurrentActivities: maxConcurrentActivityFunctions,
      activityVisibilitySeconds: timeSpanSeconds(storageProvider.workItemQueueVisibilityTimeout),
      roundFor: (address) =>
        address.kind === 'results'
          ? createCollectRound(finalizeDeps(), address)
          : createItemsRound(itemsDeps(), address),
    }),
);

/**
 * For one slice: a batch's state is read once in it while work goes on. What ends chunks unrun must not be older than
 * their references: a finished batch may have been redriven meanwhile.
 */
function itemsDeps() {
  const states = new Map<string, ReturnType<typeof stateOf>>();
  const batchState = async (batch: string): ReturnType<typeof stateOf> => {
    const known = states.get(batch) ?? stateOf(batch);
    states.set(batch, known);
    const state = await known;
    if (state === undefined || state === 'cancelling' || isFinished(state)) states.delete(batch);
    return state;
  };
  return { ...shared(), processor: processor(), lock, batchState };
}

const stateOf = async (batch: string) => (await readBatch(clients().batches, batch))?.row.state;

/** The extra input of every function that may have to start a drain, and how to get at it. */
export const durableClient = df.input.durableClient();
export const getDrainClient = (context: InvocationContext): RuntimeClient => limitedClient(df.getClient(context));

app.hook.appTerminate(async () => {
  await processor().close();
  await clients().close();
  await telemetry?.shutdown();
});
