import { toError, UnsupportedError } from '../errors.ts';
import type { HistoryEvent } from '../history/history.ts';
import { azureTimerLimits } from '../history/timing.ts';
import type { DurableFunctionKind } from '../types.ts';
import { ActionReplay, type ReplayResult } from './action-replay.ts';
import type { OrchestratorAnswer } from './actions.ts';
import type { Decision } from './decisions.ts';

/** The effect of one episode on its instance. */
export type EpisodeOutcome =
  | { kind: 'running'; decisions: Decision[] }
  | { kind: 'completed'; output: string | null; nextId: number }
  | { kind: 'failed'; reason: string; details: string; failureDetails?: unknown; nextId: number }
  | { kind: 'continuedAsNew'; input: string; carried: HistoryEvent[] };

/**
 * Determines the outcome of an episode from the orchestrator's result and the whole history. Throws if the result cannot be
 * applied.
 */
export function decideEpisode(
  name: string,
  answer: OrchestratorAnswer,
  history: readonly HistoryEvent[],
  isRegistered: (name: string, kind: DurableFunctionKind) => boolean,
): EpisodeOutcome {
  const played = new ActionReplay(answer.actions, azureTimerLimits).play(history);
  for (const decision of played.decisions) requireRegistered(decision, isRegistered);
  // The function may have returned or failed already. The tasks that it left open must finish first.
  if (!played.finished || played.openTasks > 0) return { kind: 'running', decisions: played.decisions };
  return endOf(name, answer, played);
}

function endOf(name: string, answer: OrchestratorAnswer, played: ReplayResult): EpisodeOutcome {
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

/** Creates the outcome of an episode that could not be applied: the instance fails with the reason. */
export function failedEpisode(name: string, thrown: unknown): EpisodeOutcome {
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
