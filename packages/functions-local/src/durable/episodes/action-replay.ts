import { NonDeterminismError, UnsupportedError } from '../errors.ts';
import { EventType, type HistoryEvent } from '../history/history.ts';
import { retryDelayMs, retryTimedOut, type TimerLimits, timerPiece } from '../history/timing.ts';
import { type Action, ActionType } from './actions.ts';
import { callDecision, type Decision, describe, type NewDecision } from './decisions.ts';
import { type Done, ExternalEvents } from './external-events.ts';

/** The result of playing all events. */
export interface ReplayResult {
  /** Decisions that have no scheduling event in the history yet. */
  decisions: Decision[];
  /** Whether all actions of the list are finished. */
  finished: boolean;
  /** The number of activities, timers and children that keep the instance unfinished. */
  openTasks: number;
  nextId: number;
  continueAsNew?: { input: unknown; carried: HistoryEvent[] };
}

const scheduledKinds: Partial<Record<number, Decision['kind']>> = {
  [EventType.TaskScheduled]: 'activity',
  [EventType.TimerCreated]: 'timer',
  [EventType.SubOrchestrationInstanceCreated]: 'child',
};

const unsupported: Partial<Record<number, string>> = {
  [ActionType.CallEntity]: 'Entities (callEntity) are',
  [ActionType.SignalEntity]: 'Entities (signalEntity) are',
  [ActionType.LockEntities]: 'Entities (lock) are',
  [ActionType.ReleaseEntities]: 'Entities (lock) are',
  [ActionType.CallHttp]: 'callHttp is',
};

const retryTimeoutText =
  'retryTimeoutInMilliseconds elapsed before the last attempt. On Azure such an instance hangs indefinitely; limit retries with maxNumberOfAttempts';

/**
 * Replays the action list against the history as the extension does: an action, its completion, the next action. It
 * reproduces the extension's task ids exactly, including the cases in which they drift apart from the library's (a running
 * task that is passed to a new Task.any).
 */
export class ActionReplay {
  readonly #actions: readonly Action[];
  readonly #limits: TimerLimits;
  readonly #unscheduled = new Map<number, Decision>();
  readonly #open = new Map<number, Done>();
  readonly #events = new ExternalEvents();
  #position = 0;
  #nextId = 0;
  #now = 0;
  #finished = false;
  #continueAsNew: { input: unknown; carried: HistoryEvent[] } | undefined;

  constructor(actions: readonly Action[], limits: TimerLimits) {
    this.#actions = actions;
    this.#limits = limits;
  }

  /** Plays all events and returns what is left to do. Throws NonDeterminismError or UnsupportedError. */
  play(history: readonly HistoryEvent[]): ReplayResult {
    for (const event of history) this.#playEvent(event);
    return {
      decisions: [...this.#unscheduled.values()],
      finished: this.#finished,
      openTasks: this.#open.size,
      nextId: this.#nextId,
      ...(this.#continueAsNew ? { continueAsNew: this.#continueAsNew } : {}),
    };
  }

  #playEvent(event: HistoryEvent): void {
    switch (event.EventType) {
      case EventType.OrchestratorStarted:
        // The time never goes back, as in the library: both must split a long timer in the same way.
        this.#now = Math.max(this.#now, Date.parse(event.Timestamp));
        break;
      case EventType.ExecutionStarted:
        this.#advance();
        break;
      case EventType.TaskCompleted:
      case EventType.SubOrchestrationInstanceCompleted:
        this.#end(event.TaskScheduledId, true);
        break;
      case EventType.TaskFailed:
      case EventType.SubOrchestrationInstanceFailed:
        this.#end(event.TaskScheduledId, false);
        break;
      case EventType.TimerFired:
        this.#end(event.TimerId, true);
        break;
      case EventType.EventRaised:
        this.#raise(event);
        break;
      default:
        this.#matchScheduled(event);
        break;
    }
  }

  #matchScheduled(event: HistoryEvent): void {
    const kind = scheduledKinds[event.EventType];
    if (!kind) return;
    const decision = this.#unscheduled.get(event.EventId);
    const sameName = decision?.kind === 'timer' || decision?.name.toLowerCase() === event.Name?.toLowerCase();
    if (decision?.kind !== kind || !sameName) {
      const found = decision ? describe(decision) : 'nothing';
      throw new NonDeterminismError(
        `Non-deterministic orchestrator: history has ${kind} ${event.Name ?? ''} as task ${event.EventId}, the code now schedules ${found}`,
      );
    }
    this.#unscheduled.delete(event.EventId);
  }

  #advance(): void {
    // A loop and no recursion, since a list can contain thousands of actions that are all finished.
    for (;;) {
      const action = this.#actions[this.#position++];
      if (!action) break;
      let inLoop = true;
      let isFinished = false;
      this.#start(action, () => {
        isFinished = true;
        if (!inLoop) this.#advance();
      });
      inLoop = false;
      if (!isFinished) return;
    }
    this.#finished = true;
  }

  #start(action: Action, done: Done): void {
    switch (action.actionType) {
      case ActionType.CallActivity:
      case ActionType.CallSubOrchestrator:
        this.#schedule(callDecision(action), done);
        break;
      case ActionType.CallActivityWithRetry:
      case ActionType.CallSubOrchestratorWithRetry:
        this.#attempt(action, 1, done);
        break;
      case ActionType.CreateTimer:
        this.#timer(action, done);
        break;
      case ActionType.WaitForExternalEvent:
        this.#events.wait(action.externalEventName, done);
        break;
      case ActionType.WhenAll:
      case ActionType.WhenAny:
        this.#compound(action, done);
        break;
      case ActionType.ContinueAsNew:
        this.#continueAsNew ??= { input: action.input, carried: [] };
        done(true);
        break;
      default:
        throw new UnsupportedError(
          `${unsupported[action.actionType] ?? `Action type ${action.actionType} is`} not supported by the local durable backend`,
        );
    }
  }

  #schedule(decision: NewDecision, done: Done): number {
    const id = this.#nextId++;
    this.#unscheduled.set(id, { ...decision, id });
    this.#open.set(id, done);
    return id;
  }

  #attempt(action: Action, attempt: number, done: Done, firstAttempt = this.#now): void {
    this.#schedule(callDecision(action), (succeeded) => {
      if (succeeded) return done(true);
      if (attempt >= (action.retryOptions?.maxNumberOfAttempts ?? 1)) return this.#lastAttemptFailed(done);
      if (retryTimedOut(action.retryOptions, firstAttempt, this.#now)) throw new UnsupportedError(retryTimeoutText);
      const fireAt = this.#now + retryDelayMs(action.retryOptions, attempt);
      this.#schedule({ kind: 'timer', fireAt }, () => this.#attempt(action, attempt + 1, done, firstAttempt));
    });
  }

  #lastAttemptFailed(done: Done): void {
    // The library waits for one more timer, which is due immediately, before it passes the failure to user code.
    this.#schedule({ kind: 'timer', fireAt: this.#now }, () => done(false));
  }

  #timer(action: Action, done: Done): void {
    const final = Date.parse(action.fireAt ?? '');
    if (Number.isNaN(final)) throw new UnsupportedError(`createTimer: expected a date, got ${action.fireAt}`);
    const fireAt = timerPiece(final, this.#now, this.#limits);
    const id = this.#schedule({ kind: 'timer', fireAt }, () =>
      fireAt < final && this.#now < final ? this.#timer(action, done) : done(true),
    );
    if (!action.isCanceled) return;
    // A cancelled timer keeps its id, but does not keep the instance open. Actions that wait for it continue.
    this.#open.delete(id);
    done(false);
  }

  #raise(event: HistoryEvent): void {
    if (this.#continueAsNew) this.#continueAsNew.carried.push(event);
    else this.#events.raise(event.Name);
  }

  #compound(action: Action, done: Done): void {
    const children = action.compoundActions ?? [];
    let left = action.actionType === ActionType.WhenAny ? 1 : children.length;
    for (const child of children) {
      this.#start(child, () => {
        left--;
        if (left === 0) done(true);
      });
    }
  }

  #end(id: number | undefined, succeeded: boolean): void {
    if (id === undefined) return;
    const done = this.#open.get(id);
    this.#open.delete(id);
    done?.(succeeded);
  }
}
