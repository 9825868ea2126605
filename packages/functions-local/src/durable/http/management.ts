import type { Core, Operation } from '../core.ts';
import { RequestError } from '../errors.ts';
import { EventType, type HistoryEvent, historyEvent } from '../history/history.ts';
import { createInstance, instanceIsTaken, removeInstance } from '../store/create-instance.ts';
import type { MessageKind } from '../store/inbox.ts';
import { finishedStates, type Instance, type InstanceFilter, isFinished } from '../store/instances.ts';

const maxIdLength = 100;
const forbiddenInId = /[/\\#?\p{Cc}]/u;

/** A request to start an instance; without an id it gets a random one, without a version the default. */
export interface StartRequest {
  name: string;
  id?: string;
  version?: string;
  /** JSON text; empty when there was none. */
  input: string;
}

/** Starts an instance and gives its id; throws RequestError when the name or id is not usable or the id is taken. */
export async function startInstance(core: Core, request: StartRequest): Promise<string> {
  const id = request.id ?? core.newExecutionId();
  requireStartable(core, request.name, id);
  const start = {
    ...{ id, name: request.name },
    version: request.version ?? core.config.defaultVersion,
    // A start without input posts an empty body, and the orchestrator then sees an empty text.
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

function requireStartable(core: Core, name: string, id: string): void {
  if (!core.isRegistered(name, 'orchestrator')) {
    throw new RequestError(400, `The orchestrator function '${name}' does not exist or is disabled`);
  }
  if (id.startsWith('@') || id.length > maxIdLength || forbiddenInId.test(id)) {
    throw new RequestError(
      400,
      `Instance id '${id}': expected at most ${maxIdLength} characters, no @ first, none of / \\ # ? and no control characters`,
    );
  }
}

function requireFree(core: Core, id: string): void {
  if (core.config.overridableExistingInstanceStates === 'AnyState' || !instanceIsTaken(core, id)) return;
  const message = `An orchestration instance with the id '${id}' already exists and is not over`;
  throw new RequestError(500, message, 'DurableTask.Core.Exceptions.OrchestrationAlreadyExistsException');
}

function requireJson(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch {
    throw new RequestError(400, `Expected a JSON body, got: ${text.slice(0, 100) || '(nothing)'}`);
  }
}

/** What came with an external event. */
export interface EventPayload {
  contentType: string | undefined;
  body: string;
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}

/** Sends an external event; 410 when the instance is over. Whether it is ever consumed nobody learns. */
export async function raiseEvent(core: Core, id: string, name: string, payload: EventPayload): Promise<void> {
  requireUnfinished(core, id);
  if (!isJson(payload.contentType)) {
    throw new RequestError(400, 'Only application/json request content is supported');
  }
  const event = historyEvent(EventType.EventRaised, core.now(), { Name: name, Input: requireJson(payload.body) });
  await send(core, 'raiseEvent', id, 'work', event);
}

/** Terminates the instance alone: its activities and children go on. */
export async function terminate(core: Core, id: string, reason: string): Promise<void> {
  requireUnfinished(core, id);
  const event = historyEvent(EventType.ExecutionTerminated, core.now(), { Input: reason });
  await send(core, 'terminate', id, 'control', event);
}

/** Suspends the instance: messages are kept, none is acted on until it is resumed; 500 when it is suspended. */
export async function suspend(core: Core, id: string, reason: string): Promise<void> {
  const { status } = requireUnfinished(core, id);
  if (status === 'Suspended') {
    throw new RequestError(500, `Cannot suspend instance '${id}': it is ${status}`, 'System.InvalidOperationException');
  }
  const event = historyEvent(EventType.ExecutionSuspended, core.now(), { Reason: reason });
  await send(core, 'suspend', id, 'control', event);
}

/** Resumes a suspended instance; 500 when it is not suspended. */
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
    core.inbox.send({ instanceId, kind, dueAt: core.now(), event });
    core.wakeInstance(instanceId);
  });
}

/** Removes one instance, whatever its state; gives how many were there. */
export async function purgeInstance(core: Core, id: string): Promise<number> {
  return core.change('purge', () => core.transaction(() => Number(removeInstance(core, id))));
}

/** Removes the finished instances that the filter meets; gives how many. */
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

/** The instance; throws a 404 when there is none. */
export function requireInstance(core: Core, id: string): Instance {
  const instance = core.instances.get(id);
  if (!instance) throw new RequestError(404, `No instance with ID '${id}' found.`);
  return instance;
}

function requireUnfinished(core: Core, id: string): Instance {
  const instance = requireInstance(core, id);
  if (isFinished(instance)) throw new RequestError(410, `Instance '${id}' is over: ${instance.status}`);
  return instance;
}
