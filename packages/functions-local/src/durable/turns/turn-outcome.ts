import { toError, UnsupportedError } from '../errors.ts';
import type { HistoryEvent } from '../history/history.ts';
import { azureTimerLimits } from '../history/timing.ts';
import { Mirror, type MirrorResult } from '../store/mirror.ts';
import type { DurableFunctionKind } from '../types.ts';
import type { OrchestratorAnswer } from './actions.ts';
import type { Decision } from './decisions.ts';

/** What one turn does to its instance. */
export type TurnOutcome =
  | { kind: 'running'; decisions: Decision[] }
  | { kind: 'completed'; output: string | null; nextId: number }
  | { kind: 'failed'; reason: string; details: string; failureDetails?: unknown; nextId: number }
  | { kind: 'continuedAsNew'; input: string; carried: HistoryEvent[] };

/** Decides a turn from the orchestrator's answer and the whole history; throws when the answer cannot be carried out. */
export function decideTurn(
  name: string,
  answer: OrchestratorAnswer,
  history: readonly HistoryEvent[],
  isRegistered: (name: string, kind: DurableFunctionKind) => boolean,
): TurnOutcome {
  const played = new Mirror(answer.actions, azureTimerLimits).play(history);
  for (const decision of played.decisions) requireRegistered(decision, isRegistered);
  // The function may have returned or failed long ago: what it left open ends first.
  if (!played.finished || played.openTasks > 0) return { kind: 'running', decisions: played.decisions };
  return endOf(name, answer, played);
}

function endOf(name: string, answer: OrchestratorAnswer, played: MirrorResult): TurnOutcome {
  if (answer.failure) {
    const { message, stack, failureDetails } = answer.failure;
    const details = `Message: ${message}, StackTrace: ${stack}`;
    return { kind: 'failed', reason: failureReason(name, message), details, failureDetails, nextId: played.nextId };
  }
  if (played.continueAsNew) {
    const { input, carried } = played.continueAsNew;
    return { kind: 'continuedAsNew', input: JSON.stringify(input ?? null), carried };
  }
  if (!answer.isDone) return { kind: 'running', decisions: played.decisions };
  return { kind: 'completed', output: JSON.stringify(answer.output) ?? null, nextId: played.nextId };
}

/** The outcome of a turn that could not be carried out: the instance fails with the reason. */
export function brokenTurn(name: string, thrown: unknown): TurnOutcome {
  const error = toError(thrown);
  const details = `Message: ${error.message}, StackTrace: ${error.stack ?? ''}`;
  return { kind: 'failed', reason: failureReason(name, error.message), details, nextId: -1 };
}

function failureReason(name: string, message: string): string {
  return `Orchestrator function '${name}' failed: ${message}`;
}

function requireRegistered(
  decision: Decision,
  isRegistered: (name: string, kind: DurableFunctionKind) => boolean,
): void {
  if (decision.kind === 'timer') return;
  const kind = decision.kind === 'activity' ? 'activity' : 'orchestrator';
  if (isRegistered(decision.name, kind)) return;
  throw new UnsupportedError(`The ${kind} function '${decision.name}' does not exist or is disabled`);
}
