import type { Core } from '../core.ts';
import { EventType, type HistoryEvent, historyEvent } from '../history/history.ts';
import { createInstance, instanceIsTaken } from '../store/create-instance.ts';
import type { Instance } from '../store/instances.ts';
import type { Decision } from './decisions.ts';

/** Stores what a decision schedules, inside the episode's transaction. Returns the history event that records it. */
export function schedule(core: Core, instance: Instance, decision: Decision, now: number): HistoryEvent {
  switch (decision.kind) {
    case 'activity':
      return scheduleActivity(core, instance, decision, now);
    case 'timer':
      return scheduleTimer(core, instance, decision, now);
    case 'child':
      return scheduleChild(core, instance, decision, now);
    default:
      return decision satisfies never;
  }
}

type Of<K extends Decision['kind']> = Extract<Decision, { kind: K }>;

function scheduleActivity(core: Core, instance: Instance, task: Of<'activity'>, now: number): HistoryEvent {
  const { id: instanceId, executionId } = instance;
  const input = toTriggerText(task.input);
  core.tasks.add({ instanceId, executionId, taskId: task.id, name: task.name, input, dueAt: now });
  const Input = JSON.stringify([task.input ?? null]);
  return historyEvent(EventType.TaskScheduled, now, { EventId: task.id, Name: task.name, Version: '', Input });
}

// The library has JSON-quoted a string input already. The worker undoes that when it parses the trigger's text.
function toTriggerText(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input ?? null);
}

function scheduleTimer(core: Core, instance: Instance, timer: Of<'timer'>, now: number): HistoryEvent {
  const FireAt = new Date(timer.fireAt).toISOString();
  const event = historyEvent(EventType.TimerFired, timer.fireAt, { TimerId: timer.id, FireAt });
  const { id: instanceId, executionId } = instance;
  core.controlQueue.send({ instanceId, executionId, kind: 'work', dueAt: timer.fireAt, event });
  return historyEvent(EventType.TimerCreated, now, { EventId: timer.id, FireAt });
}

function scheduleChild(core: Core, instance: Instance, child: Of<'child'>, now: number): HistoryEvent {
  const id = child.instanceId ?? `${instance.executionId}:${child.id}`;
  const version = child.version ?? core.config.defaultVersion;
  const input = JSON.stringify(child.input ?? null);
  const parent = { instanceId: instance.id, executionId: instance.executionId, taskId: child.id };
  if (instanceIsTaken(core, id)) refuseChild(core, instance, id, child.id, now);
  else createInstance(core, { id, name: child.name, version, input, parent }, now);
  const fields = { EventId: child.id, Name: child.name, Version: version, InstanceId: id, Input: input };
  return historyEvent(EventType.SubOrchestrationInstanceCreated, now, fields);
}

// On Azure the start message is discarded and the parent waits indefinitely. Here the call fails.
function refuseChild(core: Core, instance: Instance, childId: string, taskId: number, now: number): void {
  const Reason = `An orchestration instance with the id '${childId}' is already running`;
  const fields = { TaskScheduledId: taskId, Reason, Details: Reason };
  const event = historyEvent(EventType.SubOrchestrationInstanceFailed, now, fields);
  const { id: instanceId, executionId } = instance;
  core.controlQueue.send({ instanceId, executionId, kind: 'work', dueAt: now, event });
}
