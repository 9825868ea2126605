import type { Core } from '../core.ts';
import { AnswerLostError } from '../errors.ts';
import { EventType, type HistoryEvent, historyEvent } from '../history/history.ts';
import type { Message } from '../store/control-queue.ts';
import { sendStart } from '../store/create-instance.ts';
import { type Ending, finishInstance } from '../store/finish-instance.ts';
import type { Instance } from '../store/instances.ts';
import type { EpisodeOutcome } from './episode-outcome.ts';
import { schedule } from './scheduled.ts';

/** One episode of one instance, as read from the store. */
export interface Episode {
  instance: Instance;
  /** The stored events as JSON text. */
  past: string[];
  messages: Message[];
  newEvents: HistoryEvent[];
  now: number;
}

/** Stores an episode in one transaction: its history, what it schedules, the removal of its messages, and the instance row. */
export async function commitEpisode(
  core: Core,
  episode: Episode,
  outcome: EpisodeOutcome,
  customStatus: string | undefined,
): Promise<void> {
  if (outcome.kind === 'failed') core.options.log('warning', `Instance '${episode.instance.id}': ${outcome.reason}`);
  await storeEpisode(core, episode.instance, () => write(core, episode, outcome, customStatus));
}

/** Stores a change of an instance as one episode, unless the instance was replaced or purged in the meantime. */
export async function storeEpisode(core: Core, instance: Instance, work: () => void): Promise<void> {
  const store = () =>
    core.transaction(() => {
      if (core.instances.get(instance.id)?.executionId === instance.executionId) work();
    });
  try {
    await core.change('episode', store);
  } catch (error: unknown) {
    // No caller waits for the answer of an episode. Therefore a fault after the effect changes nothing.
    if (!(error instanceof AnswerLostError)) throw error;
  }
  core.wakeActivities();
}

function write(core: Core, episode: Episode, outcome: EpisodeOutcome, customStatus: string | undefined): void {
  const now = Math.max(core.now(), episode.now);
  const instance: Instance = {
    ...episode.instance,
    status: 'Running',
    customStatus: customStatus ?? episode.instance.customStatus,
    updatedAt: now,
  };
  core.controlQueue.remove(episode.messages);
  if (outcome.kind === 'continuedAsNew') {
    continueAsNew(core, instance, outcome, now);
    return;
  }
  const events = outcome.kind === 'running' ? advance(core, instance, outcome, now) : end(core, instance, outcome, now);
  const completed = historyEvent(EventType.OrchestratorCompleted, now);
  core.history.append(instance.id, [...episode.newEvents, ...events, completed]);
}

type Of<K extends EpisodeOutcome['kind']> = Extract<EpisodeOutcome, { kind: K }>;

function advance(core: Core, instance: Instance, outcome: Of<'running'>, now: number): HistoryEvent[] {
  core.instances.put(instance);
  return outcome.decisions.map((decision) => schedule(core, instance, decision, now));
}

function end(core: Core, instance: Instance, outcome: Of<'completed' | 'failed'>, now: number): HistoryEvent[] {
  return [finishInstance(core, instance, toEnding(outcome), now)];
}

function toEnding(outcome: Of<'completed' | 'failed'>): Ending {
  if (outcome.kind === 'completed') return { status: 'Completed', output: outcome.output, nextId: outcome.nextId };
  const { details, failureDetails, nextId } = outcome;
  return { status: 'Failed', output: JSON.stringify(outcome.reason), details, failureDetails, nextId };
}

/** Starts the next execution. Messages for the old one are dropped; late events are kept. */
function continueAsNew(core: Core, instance: Instance, outcome: Of<'continuedAsNew'>, now: number): void {
  core.history.clear(instance.id);
  core.controlQueue.removeExecution(instance.id, instance.executionId);
  const next: Instance = { ...instance, executionId: core.newExecutionId(), input: outcome.input };
  core.instances.put(next);
  sendStart(core, next, now);
  for (const event of outcome.carried) {
    // The events keep their time, so that they precede events that were raised later.
    core.controlQueue.send({
      instanceId: next.id,
      kind: 'work',
      dueAt: Math.min(now, Date.parse(event.Timestamp)),
      event,
    });
  }
}
