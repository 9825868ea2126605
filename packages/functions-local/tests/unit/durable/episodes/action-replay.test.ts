import { expect, test } from 'vitest';
import { ActionReplay } from '../../../../src/durable/episodes/action-replay.ts';
import { type Action, ActionType } from '../../../../src/durable/episodes/actions.ts';
import { EventType, type HistoryEvent, historyEvent } from '../../../../src/durable/history/history.ts';
import { azureTimerLimits } from '../../../../src/durable/history/timing.ts';

const start = Date.UTC(2030, 0, 1);
const dayMs = 24 * 60 * 60_000;

const begun = [historyEvent(EventType.OrchestratorStarted, start), historyEvent(EventType.ExecutionStarted, start)];

function play(actions: Action[], ...later: HistoryEvent[]) {
  return new ActionReplay(actions, azureTimerLimits).play([...begun, ...later]);
}

function activity(functionName: string, input?: unknown): Action {
  return { actionType: ActionType.CallActivity, functionName, input };
}

function timer(fireAt: number, isCanceled = false): Action {
  return { actionType: ActionType.CreateTimer, fireAt: new Date(fireAt).toISOString(), isCanceled };
}

function waitFor(externalEventName: string): Action {
  return { actionType: ActionType.WaitForExternalEvent, externalEventName };
}

function compound(actionType: number, ...compoundActions: Action[]): Action {
  return { actionType, compoundActions };
}

const scheduled = (EventId: number, Name = 'a') => historyEvent(EventType.TaskScheduled, start, { EventId, Name });
const completed = (TaskScheduledId: number) => historyEvent(EventType.TaskCompleted, start, { TaskScheduledId });
const failed = (TaskScheduledId: number) => historyEvent(EventType.TaskFailed, start, { TaskScheduledId });
const created = (EventId: number) => historyEvent(EventType.TimerCreated, start, { EventId });
const fired = (TimerId: number) => historyEvent(EventType.TimerFired, start, { TimerId });
const raised = (Name: string) => historyEvent(EventType.EventRaised, start, { Name });
const episodeAt = (at: number) => historyEvent(EventType.OrchestratorStarted, at);
const ids = (result: { decisions: { id: number }[] }) => result.decisions.map((decision) => decision.id);

test('ids are assigned in the order of scheduling, nested actions from left to right', () => {
  const nested = compound(
    ActionType.WhenAll,
    activity('a'),
    compound(ActionType.WhenAny, activity('b'), activity('c')),
    activity('d'),
  );
  const { decisions } = play([nested, activity('later')]);
  expect(decisions.map((decision) => decision.kind === 'activity' && [decision.id, decision.name])).toEqual([
    [0, 'a'],
    [1, 'b'],
    [2, 'c'],
    [3, 'd'],
  ]);
});

test('actions with a scheduling event in the history are not scheduled again', () => {
  expect(ids(play([activity('a'), activity('b')], scheduled(0), completed(0)))).toEqual([1]);
  expect(ids(play([activity('a')], scheduled(0)))).toEqual([]);
});

test('WhenAll continues only when all tasks are finished, also after a failure', () => {
  const actions = [compound(ActionType.WhenAll, activity('a'), activity('a')), activity('next')];
  expect(ids(play(actions, scheduled(0), scheduled(1), failed(0)))).toEqual([]);
  expect(ids(play(actions, scheduled(0), scheduled(1), failed(0), completed(1)))).toEqual([2]);
});

test('a failed attempt uses an id for its delay, and the last one for a timer that is due immediately', () => {
  const retryOptions = { firstRetryIntervalInMilliseconds: 100, maxNumberOfAttempts: 2, backoffCoefficient: 3 };
  const actions = [{ ...activity('a'), actionType: ActionType.CallActivityWithRetry, retryOptions }];
  const firstDelay = play(actions, scheduled(0), failed(0));
  expect(firstDelay.decisions).toEqual([{ kind: 'timer', id: 1, fireAt: start + 100 }]);
  const exhausted = [scheduled(0), failed(0), created(1), fired(1), scheduled(2), failed(2)];
  expect(play(actions, ...exhausted).decisions).toEqual([{ kind: 'timer', id: 3, fireAt: start }]);
  expect(play(actions, ...exhausted).finished).toBe(false);
  expect(play(actions, ...exhausted, created(3), fired(3)).finished).toBe(true);
});

test('a timer of ten days has three pieces with one id each', () => {
  const actions = [timer(start + 10 * dayMs)];
  const first = play(actions);
  expect(first.decisions).toEqual([{ kind: 'timer', id: 0, fireAt: start + 3 * dayMs }]);
  const second = play(actions, created(0), episodeAt(start + 3 * dayMs), fired(0));
  expect(second.decisions).toEqual([{ kind: 'timer', id: 1, fireAt: start + 6 * dayMs }]);
  const rest = [created(0), episodeAt(start + 3 * dayMs), fired(0), created(1), episodeAt(start + 6 * dayMs), fired(1)];
  expect(play(actions, ...rest).decisions).toEqual([{ kind: 'timer', id: 2, fireAt: start + 10 * dayMs }]);
  expect(play(actions, ...rest, created(2), episodeAt(start + 10 * dayMs), fired(2)).finished).toBe(true);
});

test('a timer of six days has one piece', () => {
  expect(play([timer(start + 6 * dayMs)]).decisions).toEqual([{ kind: 'timer', id: 0, fireAt: start + 6 * dayMs }]);
});

test('a cancelled timer keeps its id and does not keep the instance open', () => {
  const result = play(
    [compound(ActionType.WhenAny, timer(start + dayMs, true), waitFor('x')), activity('a')],
    created(0),
  );
  expect(ids(result)).toEqual([1]);
  expect(result.openTasks).toBe(1);
});

test('an event completes the newest wait, and buffered events are consumed first in first out', () => {
  const actions = [compound(ActionType.WhenAny, waitFor('X'), activity('a')), waitFor('x'), activity('b')];
  const result = play(actions, scheduled(0), completed(0), raised('x'));
  expect(ids(result)).toEqual([1]);
  expect(play([activity('a'), waitFor('x')], scheduled(0), raised('x'), completed(0)).finished).toBe(true);
});

test('continueAsNew keeps only events that arrive after it', () => {
  const actions = [waitFor('x'), { actionType: ActionType.ContinueAsNew, input: { n: 1 } }];
  const early = raised('unread');
  const late = raised('x');
  const result = play(actions, early, raised('x'), late);
  expect(result.continueAsNew).toEqual({ input: { n: 1 }, carried: [late] });
});

test('thousands of actions that are already finished do not exhaust the stack', () => {
  const events = Array.from({ length: 20_000 }, () => raised('x'));
  const waits = Array.from({ length: 20_000 }, () => waitFor('x'));
  expect(play([activity('a'), ...waits], scheduled(0), ...events, completed(0)).finished).toBe(true);
});

test.each([
  ['another name', [scheduled(0, 'other')]],
  ['another kind', [created(0)]],
  ['an unknown id', [scheduled(7)]],
])('a history with %s is not deterministic', (_title, events) => {
  expect(() => play([activity('a')], ...events)).toThrow('Non-deterministic orchestrator');
});

test.each([
  [ActionType.CallEntity, 'callEntity'],
  [ActionType.CallHttp, 'callHttp'],
  [ActionType.LockEntities, 'lock'],
  [99, 'Action type 99'],
])('action type %d is refused with an error', (actionType, name) => {
  expect(() => play([{ actionType }])).toThrow(name);
});
