/**
 * Breadth-first search of all possible executions: visits every state once, and finds the shortest path to a violation.
 */
import { hash } from 'node:crypto';

/** A possible step from a state. */
export interface Transition<S> {
  label: string;
  state: S;
}

export interface Model<S> {
  initial: S[];
  /** All possible steps; an empty list means that the state is at rest. */
  next: (state: S) => Promise<Transition<S>[]>;
  /** Returns the same text for two states exactly if nothing can distinguish them. */
  key: (state: S) => string;
  /** The violation in a state; undefined if there is none. `rest`: no further step is possible. */
  check: (state: S, rest: boolean) => string | undefined;
}

export interface Bounds {
  /** Maximum steps from the beginning; later states are not explored. */
  depth: number;
  states: number;
}

export interface Explored {
  states: number;
  transitions: number;
  /** Length of the longest shortest path. */
  depth: number;
  /** Whether all reachable states were explored, without a cut by a bound. */
  complete: boolean;
  violation?: { what: string; trace: string[] };
}

interface Seen {
  parent: number;
  label: string;
}

/** Explores a model within bounds; stops at the first violation. */
export async function explore<S>(model: Model<S>, bounds: Bounds): Promise<Explored> {
  const known = new Set<string>();
  const seen: Seen[] = [];
  let frontier: { state: S; id: number }[] = [];
  const result: Explored = { states: 0, transitions: 0, depth: 0, complete: true };
  const add = (state: S, from: Seen, into: { state: S; id: number }[]): void => {
    const key = hash('sha1', model.key(state), 'base64');
    if (known.has(key)) return;
    known.add(key);
    into.push({ state, id: seen.push(from) - 1 });
  };
  for (const state of model.initial) add(state, { parent: -1, label: '' }, frontier);
  for (; frontier.length > 0; result.depth += 1) {
    const following: typeof frontier = [];
    for (const { state, id } of frontier) {
      const steps = await model.next(state);
      result.states = known.size;
      result.transitions += steps.length;
      const what = model.check(state, steps.length === 0);
      if (what !== undefined) return { ...result, violation: { what, trace: traceOf(seen, id) } };
      if (known.size >= bounds.states) return { ...result, complete: false };
      for (const step of steps) add(step.state, { parent: id, label: step.label }, following);
    }
    if (result.depth >= bounds.depth && following.length > 0) return { ...result, complete: false };
    frontier = following;
  }
  result.depth -= 1;
  return result;
}

function traceOf(seen: readonly Seen[], id: number): string[] {
  const trace: string[] = [];
  for (let at = seen[id]; at !== undefined && at.parent >= 0; at = seen[at.parent]) trace.unshift(at.label);
  return trace;
}
