import type { Core } from '../core.ts';
import { AnswerLostError } from '../errors.ts';
import { EventType, type HistoryEvent, historyEvent } from '../history/history.ts';
import { sendStart } from '../store/create-instance.ts';
import { type Ending, finishInstance } from '../store/finish-instance.ts';
import type { Message } from '../store/inbox.ts';
import type { Instance } from '../store/instances.ts';
import { schedule } from './scheduled.ts';
import type { TurnOutcome } from './turn-outcome.ts';

/** One turn of one instance, as read from the store. */
export interface Turn {
  instance: Instance;
  /** The stored events as JSON texts. */
  past: string[];
  messages: Message[];
  newEvents: HistoryEvent[];
  now: number;
}

/** Stores a turn in one transaction: history, what it schedules, its messages' removal, the instance row. */
export async function commitTurn(
  core: Core,
  turn: Turn,
  outcome: TurnOutcome,
  customStatus: string | undefined,
): Promise<void> {
  if (outcome.kind === 'failed') core.options.log('warning', `Instance '${turn.instance.id}': ${outcome.reason}`);
  await storeTurn(core, turn.instance, () => write(core, turn, outcome, customStatus));
}

/** Stores a change of an instance as a turn, unless the instance was replaced or purged meanwhile. */
export async function storeTurn(core: Core, instance: Instance, work: () => void): Promise<void> {
  const store = () =>
    core.transaction(() => {
      if (core.instances.get(instance.id)?.executionId === instance.executionId) work();
    });
  try {
    await core.change('turn', store);
  } catch (error: unknown) {
    // Nobody waits for a turn's answer: a fault after the effect changes nothing.
    if (!(error instanceof AnswerLostError)) throw error;
  }
  core.wakeActivities();
}

function write(core: Core, turn: Turn, outcome: TurnOutcome, customStatus: string | undefined): void {
  const now = Math.max(core.now(), turn.now);
  const instance: Instance = {
    ...turn.instance,
    status: 'Running',
    customStatus: customStatus ?? turn.instance.customStatus,
    updatedAt: now,
  };
  core.inbox.remove(turn.messages);
  if (outcome.kind === 'continuedAsNew') {
    continueAsNew(core, instance, outcome, now);
    return;
  }
  const events = outcome.kind === 'running' ? advance(core, instance, outcome, now) : end(core, instance, outcome, now);
  const completed = historyEvent(EventType.OrchestratorCompleted, now);
  core.history.append(instance.id, [...turn.newEvents, ...events, completed]);
}

type Of<K extends TurnOutcome['kind']> = Extract<TurnOutcome, { kind: K }>;

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

/** Begins the next generation; what was meant for the old one is dropped, late events stay. */
function continueAsNew(core: Core, instance: Instance, outcome: Of<'continuedAsNew'>, now: number): void {
  core.history.clear(instance.id);
  core.inbox.removeExecution(instance.id, instance.executionId);
  const next: Instance = { ...instance, executionId: core.newExecutionId(), input: outcome.input };
  core.instances.put(next);
  sendStart(core, next, now);
  for (const event of outcome.carried) {
    // Due when they were raised, so that they come before events raised since.
    core.inbox.send({ instanceId: next.id, kind: 'work', dueAt: Math.min(now, Date.parse(event.Timestamp)), event });
  }
}
