import type { Core } from '../core.ts';
import type { Invoke } from '../dispatch/workers.ts';
import { UnsupportedError, WorkerLostError } from '../errors.ts';
import { EventType, type HistoryEvent, historyEvent } from '../history/history.ts';
import { azureTimerLimits, toDaysTimeSpan } from '../history/timing.ts';
import type { Message } from '../store/control-queue.ts';
import { type Instance, isFinished, type Parent } from '../store/instances.ts';
import type { OrchestratorAnswer } from './actions.ts';
import { commitEpisode, type Episode } from './commit-episode.ts';
import { runControl } from './control-episode.ts';
import { toCustomStatus } from './custom-status.ts';
import { decideEpisode, type EpisodeOutcome, failedEpisode } from './episode-outcome.ts';
import { readReturnedAnswer, readThrownAnswer } from './orchestrator-answer.ts';
import { versionMismatch } from './versions.ts';

/** Runs one episode: reads the due messages, calls the orchestrator, and stores the result in one transaction. */
export async function runEpisode(core: Core, instanceId: string, invoke: Invoke): Promise<void> {
  const instance = core.instances.get(instanceId);
  const messages = core.controlQueue.due(instanceId, core.now());
  const current = instance && !isFinished(instance) ? messages.filter((m) => isFor(instance, m)) : [];
  if (current.length < messages.length)
    core.controlQueue.remove(messages.filter((message) => !current.includes(message)));
  if (!instance || current.length === 0) return;
  const mismatch = versionMismatch(instance.version, core.config);
  if (mismatch && core.config.versionFailureStrategy === 'Reject') return reject(core, instance, mismatch);
  const control = current.filter((message) => message.kind === 'control');
  if (control.length > 0) return runControl(core, instance, control);
  const episode = readEpisode(core, instance, current);
  const { outcome, customStatus } = mismatch
    ? { outcome: failedEpisode(instance.name, new UnsupportedError(mismatch)), customStatus: undefined }
    : await callOrchestrator(core, episode, invoke);
  await commitEpisode(core, episode, outcome, customStatus);
}

function isFor(instance: Instance, message: Message): boolean {
  return message.executionId === null || message.executionId === instance.executionId;
}

function reject(core: Core, instance: Instance, mismatch: string): void {
  core.rejected.add(instance.id);
  core.options.log('warning', `Instance '${instance.id}' is not run (versionFailureStrategy Reject): ${mismatch}`);
}

function readEpisode(core: Core, instance: Instance, messages: Message[]): Episode {
  const events = messages.map((message) => JSON.parse(message.event) as HistoryEvent);
  // Not before a timer that fires in this episode: the library compares the timer's time with this one.
  const now = Math.max(core.now(), ...messages.map((message) => message.dueAt));
  const newEvents = [historyEvent(EventType.OrchestratorStarted, now), ...events];
  return { instance, past: core.history.texts(instance.id), messages, newEvents, now };
}

async function callOrchestrator(
  core: Core,
  episode: Episode,
  invoke: Invoke,
): Promise<{ outcome: EpisodeOutcome; customStatus: string | undefined }> {
  const { name } = episode.instance;
  let customStatus: string | undefined;
  try {
    if (!core.isRegistered(name, 'orchestrator')) {
      throw new UnsupportedError(
        `The function '${name}' doesn't exist, is disabled, or is not an orchestrator function.`,
      );
    }
    const answer = await invokeFunction(episode, invoke);
    customStatus = toCustomStatus(answer.customStatus);
    const history = [...(JSON.parse(`[${episode.past.join(',')}]`) as HistoryEvent[]), ...episode.newEvents];
    return { outcome: decideEpisode(name, answer, history, core.isRegistered), customStatus };
  } catch (error: unknown) {
    if (error instanceof WorkerLostError) throw error;
    return { outcome: failedEpisode(name, error), customStatus };
  }
}

async function invokeFunction(episode: Episode, invoke: Invoke): Promise<OrchestratorAnswer> {
  const { id: instanceId, name: functionName } = episode.instance;
  const input = toTriggerText(episode);
  return invoke({ functionName, kind: 'orchestrator', input, instanceId }).then(readReturnedAnswer, readThrownAnswer);
}

/**
 * Builds the payload of the orchestration trigger. Joins the stored texts, since parsing and serializing them again is most
 * of an episode's cost.
 */
function toTriggerText(episode: Episode): string {
  const { instance } = episode;
  const history = [...episode.past, ...episode.newEvents.map((event) => JSON.stringify(event))].join(',');
  const rest = JSON.stringify({
    instanceId: instance.id,
    isReplaying: episode.past.length > 0,
    parentInstanceId: instance.parent ? (JSON.parse(instance.parent) as Parent).instanceId : null,
    upperSchemaVersion: 1,
    upperSchemaVersionNew: 3,
    maximumShortTimerDuration: toDaysTimeSpan(azureTimerLimits.maximumMs),
    longRunningTimerIntervalDuration: toDaysTimeSpan(azureTimerLimits.intervalMs),
    defaultHttpAsyncRequestSleepTimeMillseconds: 30_000,
  });
  return `{"history":[${history}],"input":${instance.input ?? 'null'},${rest.slice(1)}`;
}
