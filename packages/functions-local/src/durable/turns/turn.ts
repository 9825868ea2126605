import type { Core } from '../core.ts';
import type { Invoke } from '../dispatch/workers.ts';
import { UnsupportedError, WorkerLostError } from '../errors.ts';
import { EventType, type HistoryEvent, historyEvent } from '../history/history.ts';
import { azureTimerLimits, toDaysTimeSpan } from '../history/timing.ts';
import type { Message } from '../store/inbox.ts';
import { type Instance, isFinished, type Parent } from '../store/instances.ts';
import type { OrchestratorAnswer } from './actions.ts';
import { commitTurn, type Turn } from './commit-turn.ts';
import { runControl } from './control-turn.ts';
import { toCustomStatus } from './custom-status.ts';
import { readReturnedAnswer, readThrownAnswer } from './orchestrator-answer.ts';
import { brokenTurn, decideTurn, type TurnOutcome } from './turn-outcome.ts';
import { versionMismatch } from './versions.ts';

/** Runs one turn: reads what is due, asks the orchestrator, stores the result at once or not at all. */
export async function runTurn(core: Core, instanceId: string, invoke: Invoke): Promise<void> {
  const instance = core.instances.get(instanceId);
  const messages = core.inbox.due(instanceId, core.now());
  const current = instance && !isFinished(instance) ? messages.filter((m) => isFor(instance, m)) : [];
  if (current.length < messages.length) core.inbox.remove(messages.filter((message) => !current.includes(message)));
  if (!instance || current.length === 0) return;
  const mismatch = versionMismatch(instance.version, core.config);
  if (mismatch && core.config.versionFailureStrategy === 'Reject') return leave(core, instance, mismatch);
  const control = current.filter((message) => message.kind === 'control');
  if (control.length > 0) return runControl(core, instance, control);
  const turn = readTurn(core, instance, current);
  const { outcome, customStatus } = mismatch
    ? { outcome: brokenTurn(instance.name, new UnsupportedError(mismatch)), customStatus: undefined }
    : await askOrchestrator(core, turn, invoke);
  await commitTurn(core, turn, outcome, customStatus);
}

function isFor(instance: Instance, message: Message): boolean {
  return message.executionId === null || message.executionId === instance.executionId;
}

function leave(core: Core, instance: Instance, mismatch: string): void {
  core.left.add(instance.id);
  core.options.log('warning', `Instance '${instance.id}' is left alone (versionFailureStrategy Reject): ${mismatch}`);
}

function readTurn(core: Core, instance: Instance, messages: Message[]): Turn {
  const events = messages.map((message) => JSON.parse(message.event) as HistoryEvent);
  // Never before a timer that fires in this turn: both sides compare its time with this one.
  const now = Math.max(core.now(), ...messages.map((message) => message.dueAt));
  const newEvents = [historyEvent(EventType.OrchestratorStarted, now), ...events];
  return { instance, past: core.history.texts(instance.id), messages, newEvents, now };
}

async function askOrchestrator(
  core: Core,
  turn: Turn,
  invoke: Invoke,
): Promise<{ outcome: TurnOutcome; customStatus: string | undefined }> {
  const { name } = turn.instance;
  let customStatus: string | undefined;
  try {
    if (!core.isRegistered(name, 'orchestrator')) {
      throw new UnsupportedError(`The orchestrator function '${name}' does not exist or is disabled`);
    }
    const answer = await askFunction(turn, invoke);
    customStatus = toCustomStatus(answer.customStatus);
    const history = [...(JSON.parse(`[${turn.past.join(',')}]`) as HistoryEvent[]), ...turn.newEvents];
    return { outcome: decideTurn(name, answer, history, core.isRegistered), customStatus };
  } catch (error: unknown) {
    if (error instanceof WorkerLostError) throw error;
    return { outcome: brokenTurn(name, error), customStatus };
  }
}

async function askFunction(turn: Turn, invoke: Invoke): Promise<OrchestratorAnswer> {
  const { id: instanceId, name: functionName } = turn.instance;
  const input = toTriggerText(turn);
  return invoke({ functionName, kind: 'orchestrator', input, instanceId }).then(readReturnedAnswer, readThrownAnswer);
}

/** The orchestration trigger's payload; the stored texts are joined, since parsing and writing them again is most of a turn's cost. */
function toTriggerText(turn: Turn): string {
  const { instance } = turn;
  const history = [...turn.past, ...turn.newEvents.map((event) => JSON.stringify(event))].join(',');
  const rest = JSON.stringify({
    instanceId: instance.id,
    isReplaying: turn.past.length > 0,
    parentInstanceId: instance.parent ? (JSON.parse(instance.parent) as Parent).instanceId : null,
    upperSchemaVersion: 1,
    upperSchemaVersionNew: 3,
    maximumShortTimerDuration: toDaysTimeSpan(azureTimerLimits.maximumMs),
    longRunningTimerIntervalDuration: toDaysTimeSpan(azureTimerLimits.intervalMs),
    defaultHttpAsyncRequestSleepTimeMillseconds: 30_000,
  });
  return `{"history":[${history}],"input":${instance.input ?? 'null'},${rest.slice(1)}`;
}
