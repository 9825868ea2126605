import type { Core } from '../core.ts';
import { EventType, type HistoryEvent, historyEvent } from '../history/history.ts';
import type { Message } from '../store/control-queue.ts';
import { finishInstance } from '../store/finish-instance.ts';
import { type Instance, isFinished } from '../store/instances.ts';
import { storeEpisode } from './commit-episode.ts';

/** Applies suspend, resume and terminate messages in order, without calling the orchestrator. */
export async function runControl(core: Core, instance: Instance, messages: readonly Message[]): Promise<void> {
  await storeEpisode(core, instance, () => {
    let current = instance;
    for (const message of messages) {
      if (isFinished(current)) break;
      current = apply(core, current, JSON.parse(message.event) as HistoryEvent);
    }
    core.controlQueue.remove(messages);
  });
}

function apply(core: Core, instance: Instance, event: HistoryEvent): Instance {
  const now = core.now();
  const events = [historyEvent(EventType.OrchestratorStarted, now), event];
  const next: Instance = { ...instance, status: nextStatus(core, instance, event), updatedAt: now };
  if (next.status === 'Terminated') {
    const output = JSON.stringify(event.Input ?? '');
    events.push(finishInstance(core, next, { status: 'Terminated', output, nextId: -1 }, now));
  } else {
    core.instances.put(next);
  }
  core.history.append(instance.id, [...events, historyEvent(EventType.OrchestratorCompleted, now)]);
  return next;
}

function nextStatus(core: Core, instance: Instance, event: HistoryEvent): Instance['status'] {
  if (event.EventType === EventType.ExecutionTerminated) return 'Terminated';
  if (event.EventType === EventType.ExecutionSuspended) return 'Suspended';
  if (instance.status !== 'Suspended') return instance.status;
  return core.history.texts(instance.id).some(isExecutionStarted) ? 'Running' : 'Pending';
}

function isExecutionStarted(text: string): boolean {
  return (JSON.parse(text) as HistoryEvent).EventType === EventType.ExecutionStarted;
}
