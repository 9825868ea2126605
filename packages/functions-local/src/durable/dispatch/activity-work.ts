import { setTimeout as delay } from 'node:timers/promises';
import type { Core } from '../core.ts';
import { AnswerLostError, toError, WorkerLostError } from '../errors.ts';
import type { HistoryEvent } from '../history/history.ts';
import { isFinished } from '../store/instances.ts';
import type { ActivityTask } from '../store/tasks.ts';
import { runActivity } from './activity.ts';
import type { Work } from './dispatcher.ts';
import type { Invoke } from './workers.ts';

const redeliveryDelayMs = 100;

/** Creates the queue of activities, keyed by their sequence number in the store. */
export function createActivityWork(core: Core): Work<number> {
  return {
    due: (now, limit) => core.tasks.due(now, limit),
    nextDueAt: (now) => core.tasks.nextDueAt(now),
    run: async (sequence, invoke) => {
      try {
        await runTask(core, sequence, invoke);
      } catch (thrown: unknown) {
        // The store itself failed, for example because the disk is full. A rejection would end the process and all other
        // work.
        if (core.isClosed()) return;
        core.options.log('error', `An activity will run again: ${toError(thrown).message}`);
        await delay(redeliveryDelayMs);
      }
    },
  };
}

async function runTask(core: Core, sequence: number, invoke: Invoke): Promise<void> {
  const task = core.tasks.get(sequence);
  if (!task) return;
  const release = lease(core, task);
  try {
    await complete(core, task, await runActivity(core, task, invoke));
  } catch (error: unknown) {
    if (!(error instanceof WorkerLostError)) throw error;
    redeliver(core, task, error);
  } finally {
    release();
  }
}

/**
 * With Azure's delays, a received activity is invisible until its visibility timeout, which is renewed while it runs. After a
 * crash it becomes visible only when the timeout ends.
 */
function lease(core: Core, task: ActivityTask): () => void {
  if (core.options.delays !== 'azure') return () => undefined;
  const visibleMs = core.config.activityVisibilityTimeoutMs;
  const renew = () => {
    if (!core.isClosed()) core.tasks.defer(task.sequence, core.now() + visibleMs);
  };
  renew();
  const timer = setInterval(() => {
    try {
      renew();
    } catch (thrown: unknown) {
      core.options.log('warning', `The lease of activity '${task.name}' was not renewed: ${toError(thrown).message}`);
    }
  }, visibleMs / 2);
  timer.unref();
  return () => clearInterval(timer);
}

function redeliver(core: Core, task: ActivityTask, error: WorkerLostError): void {
  if (core.isClosed()) return;
  core.options.log('warning', `Activity '${task.name}' will run again: ${error.message}`);
  core.tasks.defer(task.sequence, core.now());
}

async function complete(core: Core, task: ActivityTask, event: HistoryEvent): Promise<void> {
  if (core.isClosed()) return;
  try {
    await core.change('activity-completed', () => store(core, task, event));
  } catch (thrown: unknown) {
    if (thrown instanceof AnswerLostError || core.isClosed()) return;
    core.options.log(
      'error',
      `Activity '${task.name}' will run again because its result was not stored: ${toError(thrown).message}`,
    );
    core.tasks.defer(task.sequence, core.now() + redeliveryDelayMs);
  }
}

function store(core: Core, task: ActivityTask, event: HistoryEvent): void {
  const { instanceId, executionId } = task;
  core.transaction(() => {
    core.tasks.remove(task.sequence);
    const instance = core.instances.get(instanceId);
    // Drops a result whose instance is finished, purged, or in a later execution.
    if (instance?.executionId !== executionId || isFinished(instance)) return;
    core.controlQueue.send({ instanceId, executionId, kind: 'work', dueAt: core.now(), event });
  });
  core.wakeInstance(instanceId);
}
