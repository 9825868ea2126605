import { setTimeout as delay } from 'node:timers/promises';
import type { DurableConfig } from './config.ts';
import { type Core, openCore } from './core.ts';
import { createActivityWork } from './dispatch/activity-work.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import type { PacerFactory } from './dispatch/pacer.ts';
import { createPollingPacer, type PollingOptions } from './dispatch/polling-pacer.ts';
import { createPushPacer } from './dispatch/push-pacer.ts';
import { type Worker, WorkerPool } from './dispatch/workers.ts';
import { createOrchestrationWork } from './episodes/orchestration-work.ts';
import type { FunctionNames } from './function-names.ts';
import type { EngineOptions } from './types.ts';

/** A running task hub: its store, and the dispatch of its work to workers. */
export interface Engine {
  core: Core;
  /** Starts to send work to a worker. */
  attach(worker: Worker): void;
  /** Stops sending work to a worker. Running work continues. */
  detach(worker: Worker): void;
  /** Stops dispatching. */
  pause(): void;
  /** Waits for running work, at most `graceMs`. */
  settle(graceMs: number): Promise<void>;
  /** Closes the store. Work that is still running has no effect any more. */
  close(): void;
}

/** Opens a task hub's store and starts to dispatch. Without a worker, no work starts. Throws DatabaseInUseError. */
export function startEngine(options: EngineOptions, config: Readonly<DurableConfig>, names: FunctionNames): Engine {
  const core = openCore(options, config, {
    isRegistered: (name, kind) => names.has(name, kind),
    wakeInstance: (id) => orchestrations.wake(id),
    wakeActivities: () => activities.wake(),
  });
  // The activities of an episode are enqueued by an instance that also polls their queue. A message for an orchestration may
  // come from any instance: on Flex Consumption, the functions that start orchestrations run on separate instances.
  const choosePacer = (sender: PollingOptions['sender']): PacerFactory =>
    options.delays === 'azure'
      ? (poll) => createPollingPacer(poll, { maximumMs: config.maxPollingIntervalMs, sender })
      : createPushPacer;
  const pool = new WorkerPool();
  const orchestrations = new Dispatcher(
    createOrchestrationWork(core),
    pool.slots('orchestrator'),
    choosePacer('other'),
  );
  const activities = new Dispatcher(createActivityWork(core), pool.slots('activity'), choosePacer('self'));
  if (options.delays !== 'azure') core.tasks.makeAllDue();
  options.log('information', describeMode(options, config));
  orchestrations.start();
  activities.start();
  return {
    core,
    attach: (worker) => {
      pool.add(worker);
      orchestrations.useSlots();
      activities.useSlots();
    },
    detach: (worker) => pool.remove(worker),
    pause: () => {
      orchestrations.stop();
      activities.stop();
    },
    settle: async (graceMs) => {
      const settled = Promise.all([orchestrations.settled(), activities.settled()]);
      await Promise.race([settled, delay(graceMs, undefined, { ref: false })]);
    },
    close: () => {
      orchestrations.stop();
      activities.stop();
      core.close();
    },
  };
}

function describeMode(options: EngineOptions, config: Readonly<DurableConfig>): string {
  const caps = `each instance runs at most ${config.maxConcurrentActivities} activities and ${config.maxConcurrentOrchestrators} orchestrators at the same time`;
  const mode =
    options.delays === 'azure'
      ? `delays 'azure': queues are polled every 50 ms to ${config.maxPollingIntervalMs} ms, an interrupted activity becomes visible again after ${config.activityVisibilityTimeoutMs} ms`
      : "delays 'push': work is dispatched immediately";
  return `Durable backend on ${options.file}; ${mode}; ${caps}`;
}
