import type { Core } from '../core.ts';
import { EventType, historyEvent } from '../history/history.ts';
import { type Instance, isFinished, type Parent } from './instances.ts';

/** An instance to create. */
export interface NewInstance {
  id: string;
  name: string;
  version: string;
  /** JSON text. */
  input: string;
  parent?: Parent;
}

/** Whether an unfinished instance has this id, which must not be replaced. */
export function instanceIsTaken(core: Core, id: string): boolean {
  const existing = core.instances.get(id);
  return existing !== undefined && !isFinished(existing);
}

/**
 * Stores a pending instance and its start message, and replaces an existing instance with the same id. Must run inside a
 * transaction.
 */
export function createInstance(core: Core, start: NewInstance, now: number): Instance {
  removeInstance(core, start.id);
  const instance: Instance = {
    ...{ id: start.id, name: start.name, version: start.version, input: start.input },
    executionId: core.newExecutionId(),
    status: 'Pending',
    output: null,
    customStatus: null,
    parent: start.parent ? JSON.stringify(start.parent) : null,
    createdAt: now,
    updatedAt: now,
  };
  core.instances.put(instance);
  sendStart(core, instance, now);
  return instance;
}

/** Sends the message that starts an execution. */
export function sendStart(core: Core, instance: Instance, now: number): void {
  const { id: instanceId, executionId, parent } = instance;
  const event = historyEvent(EventType.ExecutionStarted, now, {
    Name: instance.name,
    Version: instance.version,
    Input: instance.input,
    OrchestrationInstance: { InstanceId: instanceId, ExecutionId: executionId },
    ParentInstance: parent ? toParentInstance(JSON.parse(parent) as Parent) : null,
    Tags: null,
  });
  core.controlQueue.send({ instanceId, executionId, kind: 'start', dueAt: now, event });
}

/** Removes all data of an instance, except for its running activities, whose results are dropped later. */
export function removeInstance(core: Core, id: string): boolean {
  core.rejected.delete(id);
  core.history.clear(id);
  core.controlQueue.removeAll(id);
  return core.instances.remove(id) > 0;
}

function toParentInstance(parent: Parent) {
  return {
    OrchestrationInstance: { InstanceId: parent.instanceId, ExecutionId: parent.executionId },
    TaskScheduleId: parent.taskId,
  };
}
