import { setTimeout as delay } from 'node:timers/promises';
import type { DurableConfig } from './config.ts';
import { type Core, openCore } from './core.ts';
import { createActivityWork } from './dispatch/activity-work.ts';
import { Dispatcher } from './dispatch/dispatcher.ts';
import { createPollingPacer, createPushPacer, type PacerFactory, type PollingOptions } from './dispatch/pacing.ts';
import { type Worker, WorkerPool } from './dispatch/workers.ts';
import type { FunctionNames } from './function-names.ts';
import { createOrchestrationWork } from './turns/orchestration-work.ts';
import type { EngineOptions } from './types.ts';

/** A task hub that runs: its store, and the dispatch of its work to workers. */
export interface Engine {
  core: Core;
  /** Gives work to a worker from now on. */
  attach(worker: Worker): void;
  /** Gives no more work to a worker; what it runs goes on. */
  detach(worker: Worker): void;
  /** Stops dispatching. */
  pause(): void;
  /** Waits for what runs, at most `graceMs`. */
  settle(graceMs: number): Promise<void>;
  /** Closes the store: what still runs has no effect any more. */
  close(): void;
}

/** Opens a task hub's store and starts to dispatch; without a worker nothing is taken. Throws DatabaseInUseError. */
export function startEngine(options: EngineOptions, config: Readonly<DurableConfig>, names: FunctionNames): Engine {
  const core = openCore(options, config, {
    isRegistered: (name, kind) => names.has(name, kind),
    wakeInstance: (id) => orchestrations.wake(id),
    wakeActivities: () => activities.wake(),
  });
  // A turn's activities are put on their queue by an instance that polls it. A message for an orchestration may come from any:
  // on Flex, the functions that start one run on instances of their own.
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
  const caps = `each instance runs at most ${config.maxConcurrentActivities} activities and ${config.maxConcurrentOrchestrators} orchestrators at once`;
  const mode =
    options.delays === 'azure'
      ? `delays 'azure': queues are polled every 50 ms to ${config.maxPollingIntervalMs} ms, a crashed activity returns after ${config.activityVisibilityTimeoutMs} ms`
      : "delays 'push': work is handed over at once";
  return `Durable backend on ${options.file}; ${mode}; ${caps}`;
}
