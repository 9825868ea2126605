/**
 * The composition root: creates each part of the pipeline once, at its first use, from settings, registry and clients.
 * The app and tests use it; no other file in shared/ imports it. It may import every room except http.
 */
import { randomUUID } from 'node:crypto';
import type { BatchRow } from './batches/batch-row.ts';
import { readBatchAndProgress, writeProgress } from './batches/progress/progress-rows.ts';
import { createOpenBatchReader } from './batches/watch/read-open-batches.ts';
import { queueName } from './contract/names.ts';
import { MAX_RECEIVE } from './contract/queue-limits.ts';
import { createMeter } from './cost/meter.ts';
import { createOverhead } from './cost/overhead.ts';
import { createActivities } from './drain/activities.ts';
import type { Round } from './drain/dequeue-task.ts';
import { createGateDeps, type DrainClient } from './drain/drains.ts';
import { checkTimeouts, type HostLimits } from './drain/host-limits.ts';
import { createInstanceMeasure } from './drain/instance-load.ts';
import { createOpenRounds } from './drain/open-rounds.ts';
import { createPublishers, type PublisherDeps } from './events/publish.ts';
import { publishOrWake } from './events/wake-fallback.ts';
import { warnOfRisk } from './events/warn-of-risk.ts';
import { type GateDeps, wake } from './gate/gate.ts';
import { createNeedsWake } from './gate/notify-from.ts';
import { createPlanner } from './gate/planning/planner.ts';
import type { InboxDeps } from './intake/inbox/inbox-deps.ts';
import { takeNamedFile } from './intake/inbox/named-file.ts';
import { lazily } from './lazily.ts';
import { createLimiter } from './limits/limiter.ts';
import type { Permits } from './limits/permits.ts';
import { processClockMs } from './limits/process-clock.ts';
import { createBatchStates } from './processing/batch-states.ts';
import { createItemsRound, type ItemsRoundDeps } from './processing/items-round.ts';
import { errorLine } from './processing/outcome/error-text.ts';
import type { CollectOutcomes } from './processing/publish/collect-here.ts';
import { createRunningChunks, type RunningChunks } from './processing/running-chunks.ts';
import { createSharedLock } from './processing/shared-lock.ts';
import { createProcessor, type Processor } from './processing/threads/processor.ts';
import { createDepths, queueDepth } from './queues/depths.ts';
import { collectBatch } from './results/collect-batch.ts';
import { createCollectRound } from './results/collect-round.ts';
import { createMergeAhead } from './results/merge-ahead.ts';
import type { Settings } from './settings.ts';
import { createSlots } from './slots.ts';
import { type Clients, createClients } from './storage/clients.ts';
import { type PurgeClient, purgeDrains } from './sweep/purge-drains.ts';
import { log } from './telemetry/log.ts';
import { countUnhandled } from './telemetry/metrics.ts';
import type { QueueAddress, Registry } from './workload/registry.ts';

/** Runs chunks. If it has `close`, the pipeline calls it when it is closed. */
type ChunkRunner = ItemsRoundDeps['processor'] & Partial<Pick<Processor, 'start' | 'close'>>;

/** The part of the clients that the pipeline uses. */
export interface PipelineClients extends Omit<Clients, 'topic' | 'close'> {
  topic: PublisherDeps['topic'];
}

export interface PipelineOptions {
  settings: Settings;
  registry: Registry;
  host: HostLimits;
  /**
   * The file that worker threads run (its default export is `serve(registry)`), or an object that runs chunks without
   * threads.
   */
  processor: URL | ChunkRunner;
  /**
   * If absent, clients are created from the settings. Events are sent to their topic, and their meter provides the
   * service time. The caller closes them.
   */
  clients?: PipelineClients;
  /**
   * How long a chunk runs before its batch is checked and its progress is written, and the interval after that.
   * Defaults to 10 s.
   */
  checkIntervalMs?: number;
  /**
   * Maximum number of chunks of a batch that the round of its last chunks collects without a result message. Defaults
   * to the chunks of one receive: collecting a larger batch takes time that other chunks need.
   */
  maxChunksCollected?: number;
}

/** The dependencies of all parts; each part declares in its own type which of them it uses. */
export type PipelineDeps = ReturnType<typeof depsOf>;

/**
 * The parts that functions use. A durable client belongs to one invocation, so the parts that need it are created per
 * invocation.
 */
export type Pipeline = ReturnType<typeof createPipeline>;

/**
 * The platform gives an app five seconds to end (source: host, WorkerTerminateGracePeriodInSeconds). One second remains
 * for the steps after the wait.
 */
const CLOSE_WAIT_MS = 4_000;
/**
 * Length of the process id in the results of slices, which are kept in histories: enough to distinguish the instances
 * of an app.
 */
const INSTANCE_LETTERS = 8;

/**
 * Number of named files (version 2 references) that are processed at the same time. Each needs about 30 MiB, and time
 * of the main thread, which uploads also need.
 */
const NAMED_FILES_AT_ONCE = 2;

/**
 * Creates a pipeline. Nothing is connected or started before its first use.
 * @throws Error if the items of a workload could never begin within the time limit of an invocation
 */
export function createPipeline(options: PipelineOptions) {
  const { settings, registry, maxChunksCollected = MAX_RECEIVE } = options;
  checkTimeouts(options.host, registry);
  const meter = options.clients?.meter ?? createMeter();
  const ownClients = lazily(() => createClients(settings, meter));
  const clients = (): PipelineClients => options.clients ?? ownClients();
  const lock = createSharedLock();
  const deps = lazily(() => depsOf(options, clients(), lock.exclusive));
  const processor = lazily(() => processorOf(options));
  const stopping = new AbortController();
  const processId = randomUUID();
  const running = runningChunksOf(deps, {
    processId,
    checkIntervalMs: options.checkIntervalMs,
    stopping: stopping.signal,
  });
  const rounds = createOpenRounds();
  const fileSlots = createSlots(NAMED_FILES_AT_ONCE);
  const takeFile: ItemsRoundDeps['takeFile'] = (file) =>
    takeNamedFile({ ...deps(), settings }, { ...file, signal: stopping.signal });
  const limits = lazily(() =>
    createLimiter({
      ...deps().gate,
      clockMs: processClockMs,
      id: processId,
      callsInFlight: ({ concurrency }) => (processor().threads + 1) * concurrency,
    }),
  );
  const permitsOf = (name: string): Permits | undefined => {
    const workload = registry.workload(name);
    return workload && limits().permitsOf(workload);
  };
  const gateWith = (client: DrainClient): GateDeps => createGateDeps(deps(), client);
  const roundFor = (address: QueueAddress): Round => {
    if (address.kind === 'results') return rounds.track(createCollectRound(deps(), address));
    const readBatch = createBatchStates(deps().table, running.changesSeen, maxChunksCollected);
    const collectOutcomes: CollectOutcomes = (batch, work) =>
      collectBatch(deps(), batch, { workload: address.workload.name, ...work });
    const collecting = { collectOutcomes, onStored: deps().mergeAhead.add };
    const forRound = {
      processor: processor(),
      lock,
      running,
      readBatch,
      permitsOf,
      takeFile,
      fileSlots,
      ...collecting,
    };
    return rounds.track(createItemsRound({ ...deps(), ...forRound }, address));
  };
  const returnWork = (): void => stopping.abort();
  const wakeDeps = (client: DrainClient) => ({ ...deps(), gate: gateWith(client), pool: settings.pool });
  return {
    settings,
    registry,
    /** The meter of the clients; it exists before they are created. */
    meter,
    /** What this process spends and stores for no batch. */
    overhead: createOverhead(),
    clients,
    /** Dependencies of parts that need no durable client, because they do not wake queues themselves. */
    deps,
    gateWith,
    /** For code that wakes queues of this app itself. */
    wakeDeps,
    /** For requests of clients and operators: submit, collect the inbox, cancel, redrive, delete, clear. */
    requestDeps: (client: DrainClient): PipelineDeps => ({
      ...deps(),
      publish: publishOrWake(deps().publish, {
        pool: settings.pool,
        wake: (queue) => wake(gateWith(client), queue),
      }),
    }),
    sweepDeps: (client: DrainClient & PurgeClient) => ({
      ...wakeDeps(client),
      purgeDrains: (from: Date, to: Date) => purgeDrains(client, from, to),
    }),
    activities: lazily(() =>
      createActivities({
        ...deps(),
        roundFor,
        limits: limits(),
        isStopping: () => stopping.signal.aborted,
        measureInstance: createInstanceMeasure(processId.slice(0, INSTANCE_LETTERS)),
      }),
    ),
    roundFor,
    /** Starts the worker threads before the first chunk, for a development stack, which is certain to run one. */
    startThreads: () => processor().start?.(),
    /**
     * Ends the work of this process early: running chunks keep their finished items, and the rest is returned to the
     * queues for other processes. Nothing new starts.
     */
    returnWork,
    /**
     * Returns the work, waits for it for at most four seconds, terminates the threads and closes the clients that this
     * pipeline has created.
     */
    close: async (): Promise<void> => {
      returnWork();
      await rounds.ended(CLOSE_WAIT_MS);
      await limits().close();
      await processor().close?.();
      if (options.clients === undefined) await ownClients().close();
    },
  };
}

function runningChunksOf(
  deps: () => PipelineDeps,
  { processId, ...options }: { processId: string; checkIntervalMs: number | undefined; stopping: AbortSignal },
): RunningChunks {
  return createRunningChunks({
    ...options,
    readBatch: (batch) => readBatchAndProgress(deps().table, batch),
    warnOfRisk: (batch) => warnOfRisk(deps(), batch),
    writeProgress: (batch, progress) => {
      const at = new Date(deps().gate.now()).toISOString();
      return writeProgress(deps().table, { batch, processId }, progress && { ...progress, at });
    },
    nowMs: () => performance.now(),
  });
}

function depsOf({ settings, registry, host }: PipelineOptions, clients: PipelineClients, alone: InboxDeps['alone']) {
  const { meter, account, topic, gates } = clients;
  const { visibilitySeconds, sliceSeconds, capacity, pool } = settings;
  const now = (): number => meter.serviceNowMs();
  const { depthOf, recentDepth } = createDepths((queue) => queueDepth(clients.queue(queue)), now);
  return {
    ...host,
    registry,
    meter,
    visibilitySeconds,
    queues: clients.queue,
    container: clients.container,
    table: clients.batches,
    keys: clients.keys,
    gate: { table: gates, now },
    ...createPublishers({ topic, account, meter }),
    depthOf,
    recentDepth,
    readOpenBatches: createOpenBatchReader(clients.batches, now),
    mergeAhead: createMergeAhead(registry),
    needsWake: createNeedsWake({ table: gates, depthOf, nowMs: () => performance.now() }),
    plan: createPlanner({ ...host, table: gates, registry, pool, sliceSeconds, visibilitySeconds, capacity, now }),
    // Events about a batch contain its lane and the first queue of the lane.
    addressOf: ({ workload, lane }: Pick<BatchRow, 'workload' | 'lane'>) =>
      registry.queue(queueName(workload, lane, 0)),
    alone,
  };
}

function processorOf({ settings, processor }: PipelineOptions): ChunkRunner {
  if (!(processor instanceof URL)) return processor;
  return createProcessor({
    threadUrl: processor,
    ...(settings.threads === 0 ? {} : { threads: settings.threads }),
    maxThreadMemoryMb: settings.threadMemoryMb,
    settings,
    log: (message, fields) => log.info('handler', { message, ...fields }),
    onUnhandled: ({ error, wasInFlight }) => {
      countUnhandled(wasInFlight);
      log.warn('unhandled-error', { error: errorLine(error), wasInFlight });
    },
  });
}
