/** Event numbers of the history as the durable-functions library reads them. */
export const EventType = {
  ExecutionStarted: 0,
  ExecutionCompleted: 1,
  ExecutionTerminated: 3,
  TaskScheduled: 4,
  TaskCompleted: 5,
  TaskFailed: 6,
  SubOrchestrationInstanceCreated: 7,
  SubOrchestrationInstanceCompleted: 8,
  SubOrchestrationInstanceFailed: 9,
  TimerCreated: 10,
  TimerFired: 11,
  OrchestratorStarted: 12,
  OrchestratorCompleted: 13,
  EventRaised: 15,
  ContinueAsNew: 16,
  ExecutionSuspended: 19,
  ExecutionResumed: 20,
} as const;

/** One of the event numbers. */
export type EventTypeNumber = (typeof EventType)[keyof typeof EventType];

/** One history event. Payload fields (Input, Result) are JSON texts. */
export interface HistoryEvent {
  EventType: EventTypeNumber;
  /** The task id of a scheduling event, otherwise -1. */
  EventId: number;
  IsPlayed: boolean;
  /** ISO 8601, UTC. */
  Timestamp: string;
  Name?: string;
  Version?: string;
  Input?: string | null;
  Result?: string | null;
  Reason?: string | null;
  Details?: string | null;
  FailureDetails?: unknown;
  TaskScheduledId?: number;
  TimerId?: number;
  FireAt?: string;
  InstanceId?: string;
  OrchestrationStatus?: string;
  OrchestrationInstance?: { InstanceId: string; ExecutionId: string };
  ParentInstance?: {
    OrchestrationInstance: { InstanceId: string; ExecutionId: string };
    TaskScheduleId: number;
  } | null;
  Tags?: null;
}

type EventFields = Omit<Partial<HistoryEvent>, 'EventType' | 'IsPlayed' | 'Timestamp'>;

/** Creates an event that is not yet played. `at` is in epoch milliseconds. */
export function historyEvent(type: EventTypeNumber, at: number, fields: EventFields = {}): HistoryEvent {
  return { EventType: type, EventId: -1, IsPlayed: false, Timestamp: new Date(at).toISOString(), ...fields };
}

const names = new Map<number, string>(Object.entries(EventType).map(([name, number]) => [number, name]));

/** Returns the name that the status API shows for an event number. */
export function eventTypeName(type: EventTypeNumber): string {
  return names.get(type) ?? String(type);
}
