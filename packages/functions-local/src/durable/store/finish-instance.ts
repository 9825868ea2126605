import type { Core } from '../core.ts';
import { EventType, type HistoryEvent, historyEvent } from '../history/history.ts';
import type { Instance, Parent } from './instances.ts';

/** The final state of an instance. `output` is JSON text. */
export type Ending =
  | { status: 'Completed'; output: string | null; nextId: number }
  | { status: 'Failed'; output: string; details: string; failureDetails?: unknown; nextId: number }
  | { status: 'Terminated'; output: string; nextId: number };

/** Stores the final state of an instance, inside the episode's transaction. Returns the history event that records it. */
export function finishInstance(core: Core, instance: Instance, ending: Ending, now: number): HistoryEvent {
  core.instances.put({ ...instance, status: ending.status, output: ending.output, updatedAt: now });
  // As on Azure, remaining timers and late events are dropped without a trace.
  core.controlQueue.removeAll(instance.id);
  if (instance.parent) notifyParent(core, JSON.parse(instance.parent) as Parent, ending, now);
  return historyEvent(EventType.ExecutionCompleted, now, {
    EventId: ending.nextId,
    OrchestrationStatus: ending.status,
    Result: ending.output,
  });
}

function notifyParent(core: Core, parent: Parent, ending: Ending, now: number): void {
  const receiver = core.instances.get(parent.instanceId);
  if (receiver?.executionId !== parent.executionId) return;
  const { instanceId, executionId, taskId } = parent;
  core.controlQueue.send({
    instanceId,
    executionId,
    kind: 'work',
    dueAt: now,
    event: toParentEvent(ending, taskId, now),
  });
}

function toParentEvent(ending: Ending, taskId: number, now: number): HistoryEvent {
  if (ending.status === 'Completed') {
    const fields = { TaskScheduledId: taskId, Result: ending.output ?? 'null' };
    return historyEvent(EventType.SubOrchestrationInstanceCompleted, now, fields);
  }
  return historyEvent(EventType.SubOrchestrationInstanceFailed, now, {
    TaskScheduledId: taskId,
    Reason: String(JSON.parse(ending.output)),
    // Null for a terminated child. The library then fails the parent in a way that user code cannot catch.
    Details: ending.status === 'Failed' ? ending.details : null,
    FailureDetails: ending.status === 'Failed' ? (ending.failureDetails ?? null) : null,
  });
}
