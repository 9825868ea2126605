import { createRequire } from 'node:module';
import type { OrchestrationContext } from 'durable-functions';
import type { Action } from '../durable/episodes/actions.ts';
import type { Decision } from '../durable/episodes/decisions.ts';
import { decideEpisode } from '../durable/episodes/episode-outcome.ts';
import { readReturnedAnswer, readThrownAnswer } from '../durable/episodes/orchestrator-answer.ts';
import { EventType, type HistoryEvent, historyEvent } from '../durable/history/history.ts';

interface TestingUtils {
  createOrchestrator(handler: unknown): (trigger: unknown, context: unknown) => Promise<unknown>;
  DummyOrchestrationContext: new () => unknown;
}
const { createOrchestrator, DummyOrchestrationContext }: TestingUtils = createRequire(import.meta.url)(
  'durable-functions/lib/src/util/testingUtils',
);

type Handler = (context: OrchestrationContext) => Generator<unknown, unknown, unknown>;
/** By name; what one throws is the failure of that try. */
type Activities = Readonly<Record<string, (input: never) => unknown>>;

export interface OrchestratorRun {
  status: 'completed' | 'failed';
  output?: unknown;
  /** Why it failed. */
  reason?: string;
  /** Every try of every activity, in order. */
  calls: { name: string; input: unknown }[];
  /** Inputs of the histories that followed the first. */
  continuations: unknown[];
  /** When it ended by its own clock: 2026-01-01T00:00:00Z and the waits between tries. */
  endedAt: string;
}

const START = Date.UTC(2026, 0, 1);
/** No test needs more episodes; an orchestration that never ends does. */
const MAX_EPISODES = 500;

/**
 * Runs an orchestrator to its end through the library's own replay executor, from its whole history at every episode.
 * Activities answer at once, timers take no time. Throws when a replay schedules something else than before, or the same
 * with another input, which the service itself never compares: such an orchestrator is not deterministic.
 */
export async function runOrchestrator(
  handler: Handler,
  { input, activities }: { input: unknown; activities: Activities },
): Promise<OrchestratorRun> {
  const run: OrchestratorRun = { status: 'completed', calls: [], continuations: [], endedAt: '' };
  const orchestrator = createOrchestrator(handler);
  let state = begin(input, START);
  for (let episode = 0; episode < MAX_EPISODES; episode += 1) {
    const { history, input: started, calls } = state;
    const trigger = { ...TRIGGER, isReplaying: history[0]?.IsPlayed === true, history, input: started };
    const answer = await orchestrator(JSON.parse(JSON.stringify(trigger)), new DummyOrchestrationContext()).then(
      (value) => readReturnedAnswer({ json: JSON.stringify(value) }),
      readThrownAnswer,
    );
    state.calls = sameCalls(calls, callsIn(answer.actions));
    const outcome = decideEpisode('orchestrator', answer, state.history, () => true);
    const endedAt = new Date(state.now).toISOString();
    if (outcome.kind === 'completed') return { ...run, output: JSON.parse(outcome.output ?? 'null'), endedAt };
    if (outcome.kind === 'failed') return { ...run, status: 'failed', reason: outcome.reason, endedAt };
    if (outcome.kind === 'continuedAsNew') {
      const next: unknown = JSON.parse(outcome.input);
      run.continuations.push(next);
      state = begin(next, state.now);
    } else await play(state, outcome.decisions, { activities, calls: run.calls });
  }
  throw new Error(`The orchestrator has not ended after ${MAX_EPISODES} episodes.`);
}

const TRIGGER = {
  instanceId: 'one',
  upperSchemaVersion: 1,
  upperSchemaVersionNew: 3,
  maximumShortTimerDuration: '6.00:00:00',
  longRunningTimerIntervalDuration: '3.00:00:00',
};

interface Call {
  name: string;
  /** JSON text. */
  input: string | undefined;
}

interface State {
  input: unknown;
  history: HistoryEvent[];
  /** What the last replay has called, with what it would call next. */
  calls: readonly Call[];
  now: number;
}

const begin = (input: unknown, now: number): State => ({
  input,
  now,
  calls: [],
  history: [
    historyEvent(EventType.OrchestratorStarted, now),
    historyEvent(EventType.ExecutionStarted, now, { Name: 'orchestrator' }),
  ],
});

/** The calls of a list of actions, in the order in which the orchestrator made them. */
const callsIn = (actions: readonly Action[]): Call[] =>
  actions.flatMap(({ functionName, input, compoundActions = [] }) => [
    ...(functionName === undefined ? [] : [{ name: functionName, input: textOf(input) }]),
    ...callsIn(compoundActions),
  ]);

/** The library has turned an input that is a text into JSON already. */
const textOf = (input: unknown): string | undefined => (typeof input === 'string' ? input : JSON.stringify(input));

/** Compares inputs only: another name at the same place is what {@link decideEpisode} refuses. */
function sameCalls(before: readonly Call[], now: readonly Call[]): readonly Call[] {
  for (const [index, { name, input }] of before.entries()) {
    const again = now[index];
    if (again?.name !== name || again.input === input) continue;
    throw new Error(
      `Activity "${name}" was scheduled with input ${input ?? 'nothing'}, and a replay gives ${again.input ?? 'nothing'}: ` +
        'the orchestrator is not deterministic.',
    );
  }
  return now;
}

/** Schedules what was decided, and lets it happen before the next episode. */
async function play(
  state: State,
  decisions: readonly Decision[],
  world: { activities: Activities; calls: OrchestratorRun['calls'] },
): Promise<void> {
  if (decisions.length === 0) throw new Error('The orchestrator waits for nothing, and has not ended.');
  const came: HistoryEvent[] = [];
  for (const event of state.history) event.IsPlayed = true;
  for (const decision of decisions) {
    const { id } = decision;
    if (decision.kind === 'timer') {
      const FireAt = new Date(decision.fireAt).toISOString();
      state.history.push(historyEvent(EventType.TimerCreated, state.now, { EventId: id, FireAt }));
      state.now = Math.max(state.now, decision.fireAt);
      came.push(historyEvent(EventType.TimerFired, decision.fireAt, { TimerId: id, FireAt }));
    } else {
      const { name } = decision;
      const input: unknown = JSON.parse(textOf(decision.input) ?? 'null');
      state.history.push(historyEvent(EventType.TaskScheduled, state.now, { EventId: id, Name: name }));
      world.calls.push({ name, input });
      came.push(await resultOf(world.activities, { id, name, input, now: state.now }));
    }
  }
  state.history.push(historyEvent(EventType.OrchestratorStarted, state.now), ...came);
}

async function resultOf(
  activities: Activities,
  { id, name, input, now }: { id: number; name: string; input: unknown; now: number },
): Promise<HistoryEvent> {
  const activity = activities[name] as ((input: unknown) => unknown) | undefined;
  if (!activity) throw new Error(`The test has no activity "${name}".`);
  try {
    const result: unknown = await activity(input);
    const Result = JSON.stringify(result) ?? null;
    return historyEvent(EventType.TaskCompleted, now, { TaskScheduledId: id, Result });
  } catch (error) {
    const Reason = `Activity function '${name}' failed: ${error instanceof Error ? error.message : String(error)}`;
    return historyEvent(EventType.TaskFailed, now, { TaskScheduledId: id, Reason, Details: Reason });
  }
}
