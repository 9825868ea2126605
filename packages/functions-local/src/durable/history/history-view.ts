import { EventType, eventTypeName, type HistoryEvent } from './history.ts';

const hidden: readonly number[] = [EventType.OrchestratorStarted, EventType.OrchestratorCompleted];
const scheduling: readonly number[] = [EventType.TaskScheduled, EventType.SubOrchestrationInstanceCreated];

/**
 * Converts events to the `historyEvents` of a status answer: names instead of numbers, and completions merged with the events
 * that scheduled them.
 */
export function toHistoryEvents(history: readonly HistoryEvent[], showOutput: boolean): Record<string, unknown>[] {
  const scheduled = new Map(history.filter(isScheduling).map((event) => [event.EventId, event]));
  const ended = new Set(history.map((event) => event.TaskScheduledId));
  return history
    .filter((event) => !hidden.includes(event.EventType))
    .filter((event) => !isScheduling(event) || !ended.has(event.EventId))
    .map((event) => toView(event, scheduled.get(event.TaskScheduledId ?? -1), showOutput));
}

function isScheduling(event: HistoryEvent): boolean {
  return scheduling.includes(event.EventType);
}

function toView(event: HistoryEvent, origin: HistoryEvent | undefined, showOutput: boolean): Record<string, unknown> {
  const { EventType: type, EventId, IsPlayed, TaskScheduledId, TimerId, Result, Name, ...rest } = event;
  const isStart = type === EventType.ExecutionStarted || isScheduling(event);
  return {
    EventType: eventTypeName(type),
    ...(Name === undefined ? {} : { [isStart ? 'FunctionName' : 'Name']: Name }),
    ...(origin ? { FunctionName: origin.Name, ScheduledTime: origin.Timestamp } : {}),
    ...(showOutput && Result !== undefined ? { Result: Result === null ? null : JSON.parse(Result) } : {}),
    ...rest,
  };
}
