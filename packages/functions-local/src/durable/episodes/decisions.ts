import { type Action, ActionType } from './actions.ts';

/** Something to schedule, under the task id that the library and this backend both count. */
export type Decision =
  | { kind: 'activity'; id: number; name: string; input: unknown }
  | { kind: 'timer'; id: number; fireAt: number }
  | { kind: 'child'; id: number; name: string; input: unknown; instanceId?: string; version?: string };

/** A decision without its id. */
export type NewDecision = Decision extends infer D ? (D extends { id: number } ? Omit<D, 'id'> : never) : never;

/** Returns the decision for a call of an activity or a sub-orchestration. */
export function callDecision(action: Action): NewDecision {
  const call = { name: action.functionName ?? '', input: action.input };
  const isActivity =
    action.actionType === ActionType.CallActivity || action.actionType === ActionType.CallActivityWithRetry;
  if (isActivity) return { kind: 'activity', ...call };
  return {
    kind: 'child',
    ...call,
    ...(action.instanceId ? { instanceId: action.instanceId } : {}),
    ...(action.version ? { version: action.version } : {}),
  };
}

/** Describes a decision for error messages. */
export function describe(decision: Decision): string {
  return decision.kind === 'timer' ? 'a timer' : `${decision.kind} ${decision.name}`;
}
