import type { IncomingMessage } from 'node:http';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { createActivityWork } from './activity-work.ts';
import { type DurableConfig, readDurableConfig } from './config.ts';
import { type Core, openCore } from './core.ts';
import { Dispatcher } from './dispatcher.ts';
import { FunctionNames } from './function-names.ts';
import { toUrlSource } from './http-routes.ts';
import { answer, listenForRpc } from './http-server.ts';
import { createOrchestrationWork } from './orchestration-work.ts';
import { createPollingPacer, createPushPacer, type PacerFactory } from './pacing.ts';
import type { DurableBackend, DurableBackendOptions } from './types.ts';
import { clientBindingText, webhookPath } from './urls.ts';
import { isWebhookOpen } from './webhook-key.ts';

const defaultGraceMs = 10_000;

interface Running {
  core: Core;
  orchestrations: Dispatcher<string>;
  activities: Dispatcher<number>;
  rpc: { baseUrl: string; close: () => Promise<void> };
}

/** Makes a durable-task backend on one SQLite file; throws when the settings are not valid. */
export function createDurableBackend(options: DurableBackendOptions): DurableBackend {
  const config = readDurableConfig(options.config, availableParallelism());
  const names = new FunctionNames();
  let running: Running | undefined;

  function requireRunning(): Running {
    if (!running) throw new Error('The durable backend is not started');
    return running;
  }
  return {
    register: (name, kind) => names.register(name, kind),
    start: async () => {
      running ??= await startBackend(options, config, names);
    },
    stop: async (graceMs = defaultGraceMs) => {
      const stopping = running;
      running = undefined;
      if (stopping) await stopBackend(stopping, graceMs);
    },
    clientBinding: () => {
      const { core, rpc } = requireRunning();
      return clientBindingText(toUrlSource(core), rpc.baseUrl);
    },
    handle: async (request, response) => {
      if (!isWebhook(request)) return false;
      if (!isWebhookOpen(request, options)) response.writeHead(401).end();
      else await answer(requireRunning().core, request, response, webhookPath);
      return true;
    },
  };
}

async function startBackend(
  options: DurableBackendOptions,
  config: Readonly<DurableConfig>,
  names: FunctionNames,
): Promise<Running> {
  const core = openCore(options, config, {
    isRegistered: (name, kind) => names.has(name, kind),
    wakeInstance: (id) => orchestrations.wake(id),
    wakeActivities: () => activities.wake(),
  });
  const pacer = choosePacer(options, config);
  const { maxConcurrentOrchestrators, maxConcurrentActivities } = config;
  const orchestrations = new Dispatcher(createOrchestrationWork(core), maxConcurrentOrchestrators, pacer);
  const activities = new Dispatcher(createActivityWork(core), maxConcurrentActivities, pacer);
  if (options.delays !== 'azure') core.tasks.makeAllDue();
  const rpc = await listenForRpc(core).catch((error: unknown) => {
    core.close();
    throw error;
  });
  options.log('information', describeMode(options, config));
  orchestrations.start();
  activities.start();
  return { core, orchestrations, activities, rpc };
}

async function stopBackend(running: Running, graceMs: number): Promise<void> {
  const { core, orchestrations, activities, rpc } = running;
  orchestrations.stop();
  activities.stop();
  const settled = Promise.all([orchestrations.settled(), activities.settled()]);
  await Promise.race([settled, delay(graceMs, undefined, { ref: false })]);
  await rpc.close();
  core.close();
}

function choosePacer(options: DurableBackendOptions, config: Readonly<DurableConfig>): PacerFactory {
  return options.delays === 'azure' ? (poll) => createPollingPacer(poll, config.maxPollingIntervalMs) : createPushPacer;
}

function describeMode(options: DurableBackendOptions, config: Readonly<DurableConfig>): string {
  const caps = `at most ${config.maxConcurrentActivities} activities and ${config.maxConcurrentOrchestrators} orchestrators at once`;
  const mode =
    options.delays === 'azure'
      ? `delays 'azure': queues are polled every 50 ms to ${config.maxPollingIntervalMs} ms, a crashed activity returns after ${config.activityVisibilityTimeoutMs} ms`
      : "delays 'push': work is handed over at once";
  return `Durable backend on ${options.file}; ${mode}; ${caps}`;
}

function isWebhook(request: IncomingMessage): boolean {
  return request.url?.toLowerCase().startsWith(`${webhookPath}/`) ?? false;
}
