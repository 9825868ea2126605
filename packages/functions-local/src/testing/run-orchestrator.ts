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
/** Activities by name. An error of an activity fails that attempt. */
type Activities = Readonly<Record<string, (input: never) => unknown>>;

export interface OrchestratorRun {
  status: 'completed' | 'failed';
  output?: unknown;
  /** Why it failed. */
  reason?: string;
  /** Every attempt of every activity, in order. */
  calls: { name: string; input: unknown }[];
  /** The inputs of `continueAsNew`. */
  continuations: unknown[];
  /** End of the simulated time, which starts at 2026-01-01T00:00:00Z and includes the waits between attempts. */
  endedAt: string;
}

const START = Date.UTC(2026, 0, 1);
/** More episodes than any test needs. Only an orchestration that never ends reaches the limit. */
const MAX_EPISODES = 500;

/**
 * Runs an orchestrator to its end with the library's own replay executor, from its whole history in every episode. Activities
 * answer immediately, timers take no time. Throws if a replay schedules something else than the previous one, or the same
 * with another input, which the service itself never checks: such an orchestrator is not deterministic.
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
  throw new Error(`Expected the orchestrator to finish, but it is still running after ${MAX_EPISODES} episodes.`);
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
  /** The calls of the last replay, including those that it scheduled. */
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

/** Returns the calls in a list of actions, in the order in which the orchestrator made them. */
const callsIn = (actions: readonly Action[]): Call[] =>
  actions.flatMap(({ functionName, input, compoundActions = [] }) => [
    ...(functionName === undefined ? [] : [{ name: functionName, input: textOf(input) }]),
    ...callsIn(compoundActions),
  ]);

/** The library has converted a string input to JSON already. */
const textOf = (input: unknown): string | undefined => (typeof input === 'string' ? input : JSON.stringify(input));

/** Compares only inputs. {@link decideEpisode} detects a different name. */
function sameCalls(before: readonly Call[], now: readonly Call[]): readonly Call[] {
  for (const [index, { name, input }] of before.entries()) {
    const again = now[index];
    if (again?.name !== name || again.input === input) continue;
    throw new Error(
      `Activity "${name}" was scheduled with input ${input ?? 'nothing'}, but a replay scheduled it with ${again.input ?? 'nothing'}: ` +
        'the orchestrator is not deterministic.',
    );
  }
  return now;
}

/** Schedules the decisions and completes them before the next episode. */
async function play(
  state: State,
  decisions: readonly Decision[],
  world: { activities: Activities; calls: OrchestratorRun['calls'] },
): Promise<void> {
  if (decisions.length === 0)
    throw new Error(
      'The orchestrator waits for something other than an activity or a timer, which the test cannot provide.',
    );
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
  if (!activity) throw new Error(`Expected an activity "${name}" in the test, found none.`);
  try {
    const result: unknown = await activity(input);
    const Result = JSON.stringify(result) ?? null;
    return historyEvent(EventType.TaskCompleted, now, { TaskScheduledId: id, Result });
  } catch (error) {
    const Reason = `Activity function '${name}' failed: ${error instanceof Error ? error.message : String(error)}`;
    return historyEvent(EventType.TaskFailed, now, { TaskScheduledId: id, Reason, Details: Reason });
  }
}
