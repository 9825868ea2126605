import type { Core } from '../core.ts';
import { toError, WorkerLostError } from '../errors.ts';
import { EventType, type HistoryEvent, historyEvent } from '../history/history.ts';
import type { ActivityTask } from '../store/tasks.ts';
import type { RpcValue } from '../types.ts';
import type { Invoke } from './workers.ts';

/** Runs an activity and returns its result or failure as the event for its orchestration. Throws only WorkerLostError. */
export async function runActivity(core: Core, task: ActivityTask, invoke: Invoke): Promise<HistoryEvent> {
  const { name: functionName, input, instanceId } = task;
  try {
    if (!core.isRegistered(functionName, 'activity')) throw new Error('The function does not exist or is disabled');
    const value = await invoke({ functionName, kind: 'activity', input, instanceId });
    const fields = { TaskScheduledId: task.taskId, Result: toResultText(value) };
    return historyEvent(EventType.TaskCompleted, core.now(), fields);
  } catch (error: unknown) {
    if (error instanceof WorkerLostError) throw error;
    return toFailedEvent(task, toError(error), core.now());
  }
}

/** Converts a worker's result to JSON text. */
function toResultText(value: RpcValue | null | undefined): string {
  if (value?.json !== undefined) return value.json;
  if (value?.string !== undefined) return JSON.stringify(value.string);
  if (value?.bytes !== undefined) return JSON.stringify(Buffer.from(value.bytes).toString('base64'));
  return JSON.stringify(value?.int ?? value?.double ?? null);
}

function toFailedEvent(task: ActivityTask, error: Error, now: number): HistoryEvent {
  const details = readFailureDetails(error.message);
  const message = details?.ErrorMessage ?? error.message;
  return historyEvent(EventType.TaskFailed, now, {
    TaskScheduledId: task.taskId,
    Reason: `Activity function '${task.name}' failed: ${message}`,
    Details: JSON.stringify({ ClassName: 'System.Exception', Message: message, StackTraceString: error.stack ?? '' }),
    FailureDetails: details ?? null,
  });
}

/** With an exception properties provider, the library throws an error whose message is the JSON of its details. */
function readFailureDetails(message: string) {
  if (!message.startsWith('{"errorType":')) return undefined;
  const raw = parseRecord(message);
  if (typeof raw?.errorMessage !== 'string' || typeof raw.properties !== 'object') return undefined;
  return {
    ErrorType: raw.errorType,
    ErrorMessage: raw.errorMessage,
    StackTrace: raw.stackTrace ?? null,
    IsNonRetriable: raw.isNonRetriable ?? false,
    Properties: raw.properties,
    InnerFailure: null,
  };
}

function parseRecord(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
