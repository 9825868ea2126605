import type { Core, Operation } from '../core.ts';
import { RequestError } from '../errors.ts';
import { EventType, type HistoryEvent, historyEvent } from '../history/history.ts';
import type { MessageKind } from '../store/control-queue.ts';
import { createInstance, removeInstance } from '../store/create-instance.ts';
import { finishedStates, type Instance, type InstanceFilter, isFinished } from '../store/instances.ts';

const maxIdLength = 100;
const forbiddenInId = /[/\\#?\p{Cc}]/u;

/** A request to start an instance. Defaults: a random id, and the app's default version. */
export interface StartRequest {
  name: string;
  id?: string;
  version?: string;
  /** JSON text, or empty if the request had no input. */
  input: string;
}

/** Starts an instance and returns its id. Throws RequestError if the name or id is not valid, or the id is in use. */
export async function startInstance(core: Core, request: StartRequest): Promise<string> {
  const id = request.id ?? core.newExecutionId();
  requireValidId(id);
  const start = {
    ...{ id, name: request.name },
    version: request.version ?? core.config.defaultVersion,
    // A start without input posts an empty body. The orchestrator then receives an empty string.
    input: request.input === '' ? '""' : requireJson(request.input),
  };
  await core.change('startNew', () => {
    core.transaction(() => {
      requireFree(core, id);
      createInstance(core, start, core.now());
    });
    core.wakeInstance(id);
  });
  return id;
}

function requireValidId(id: string): void {
  if (id.startsWith('@') || id.length > maxIdLength || forbiddenInId.test(id)) {
    throw new RequestError(
      400,
      `Instance id '${id}': expected at most ${maxIdLength} characters, that do not start with @ and contain no / \\ # ? or control characters`,
    );
  }
}

function requireFree(core: Core, id: string): void {
  if (core.config.overridableExistingInstanceStates === 'AnyState') return;
  const existing = core.instances.get(id);
  if (!existing || isFinished(existing)) return;
  throw new RequestError(409, `An Orchestration instance with the status ${existing.status} already exists.`);
}

function requireJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw new RequestError(400, `Expected a JSON body, got: ${text.slice(0, 100) || '(nothing)'}`);
  }
}

/** The content of an external event. */
export interface EventPayload {
  contentType: string | undefined;
  body: string;
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}

/** Sends an external event. Throws a 410 if the instance is finished. The sender cannot see whether the event is consumed. */
export async function raiseEvent(core: Core, id: string, name: string, payload: EventPayload): Promise<void> {
  requireUnfinished(core, id);
  if (!isJson(payload.contentType)) {
    throw new RequestError(400, 'Only application/json request content is supported');
  }
  const event = historyEvent(EventType.EventRaised, core.now(), { Name: name, Input: requireJson(payload.body) });
  await send(core, 'raiseEvent', id, 'work', event);
}

/** Terminates only the instance. Its activities and sub-orchestrations continue. */
export async function terminate(core: Core, id: string, reason: string): Promise<void> {
  requireUnfinished(core, id);
  const event = historyEvent(EventType.ExecutionTerminated, core.now(), { Input: reason });
  await send(core, 'terminate', id, 'control', event);
}

/** Suspends the instance: its messages are kept and processed after it is resumed. Throws a 500 if it is suspended already. */
export async function suspend(core: Core, id: string, reason: string): Promise<void> {
  const { status } = requireUnfinished(core, id);
  if (status === 'Suspended') {
    throw new RequestError(500, `Cannot suspend instance '${id}': it is ${status}`, 'System.InvalidOperationException');
  }
  const event = historyEvent(EventType.ExecutionSuspended, core.now(), { Reason: reason });
  await send(core, 'suspend', id, 'control', event);
}

/** Resumes a suspended instance. Throws a 500 if it is not suspended. */
export async function resume(core: Core, id: string, reason: string): Promise<void> {
  const { status } = requireUnfinished(core, id);
  if (status !== 'Suspended') {
    throw new RequestError(500, `Cannot resume instance '${id}': it is ${status}`, 'System.InvalidOperationException');
  }
  const event = historyEvent(EventType.ExecutionResumed, core.now(), { Reason: reason });
  await send(core, 'resume', id, 'control', event);
}

async function send(
  core: Core,
  operation: Operation,
  instanceId: string,
  kind: MessageKind,
  event: HistoryEvent,
): Promise<void> {
  await core.change(operation, () => {
    core.controlQueue.send({ instanceId, kind, dueAt: core.now(), event });
    core.wakeInstance(instanceId);
  });
}

/** Removes one finished instance. Returns the number of removed instances. Throws a 412 if it is not finished. */
export async function purgeInstance(core: Core, id: string): Promise<number> {
  const instance = core.instances.get(id);
  if (instance && !isFinished(instance)) {
    const state = `the orchestration with instance ID ${id} has status ${instance.status}`;
    throw new RequestError(412, `Only orchestrations in a terminal state can be purged, but ${state}`);
  }
  return core.change('purge', () => core.transaction(() => Number(removeInstance(core, id))));
}

/** Removes the finished instances that match the filter. Returns their number. */
export async function purgeInstances(core: Core, filter: InstanceFilter): Promise<number> {
  const wanted = filter.statuses ?? [];
  const statuses = finishedStates.filter((state) => wanted.length === 0 || wanted.includes(state));
  if (statuses.length === 0) return 0;
  return core.change('purge', () =>
    core.transaction(() => {
      const found = core.instances.list({ ...filter, statuses });
      for (const instance of found) removeInstance(core, instance.id);
      return found.length;
    }),
  );
}

/** Returns the instance. Throws a 404 if it does not exist. */
export function requireInstance(core: Core, id: string): Instance {
  const instance = core.instances.get(id);
  if (!instance) throw new RequestError(404, `No instance with ID '${id}' found.`);
  return instance;
}

function requireUnfinished(core: Core, id: string): Instance {
  const instance = requireInstance(core, id);
  if (isFinished(instance)) throw new RequestError(410, `Instance '${id}' is finished: ${instance.status}`);
  return instance;
}
