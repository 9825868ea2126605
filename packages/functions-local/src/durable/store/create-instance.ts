import type { Core } from '../core.ts';
import { EventType, historyEvent } from '../history/history.ts';
import { type Instance, isFinished, type Parent } from './instances.ts';

/** An instance to be started. */
export interface NewInstance {
  id: string;
  name: string;
  version: string;
  /** JSON text. */
  input: string;
  parent?: Parent;
}

/** Whether an instance of this id must not be replaced. */
export function instanceIsTaken(core: Core, id: string): boolean {
  const existing = core.instances.get(id);
  return existing !== undefined && !isFinished(existing);
}

/** Stores a pending instance and its start message, in place of whatever had the id; runs inside a transaction. */
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

/** Sends the message that begins a generation. */
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
  core.inbox.send({ instanceId, executionId, kind: 'start', dueAt: now, event });
}

/** Removes everything about an id but its running activities, whose results are dropped later. */
export function removeInstance(core: Core, id: string): boolean {
  core.left.delete(id);
  core.history.clear(id);
  core.inbox.removeAll(id);
  return core.instances.remove(id) > 0;
}

function toParentInstance(parent: Parent) {
  return {
    OrchestrationInstance: { InstanceId: parent.instanceId, ExecutionId: parent.executionId },
    TaskScheduleId: parent.taskId,
  };
}
