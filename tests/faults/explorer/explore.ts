/** Breadth-first search of all that can happen: every state once, the shortest way to a wrong one. */
import { hash } from 'node:crypto';

/** A step that may be taken from a state. */
export interface Transition<S> {
  label: string;
  state: S;
}

export interface Model<S> {
  initial: S[];
  /** All steps that may be taken; none = everything has come to rest. */
  next: (state: S) => Promise<Transition<S>[]>;
  /** Returns the same text for two states exactly if nothing can distinguish them. */
  key: (state: S) => string;
  /** What is wrong in a state, undefined = nothing. `rest`: no step leads on. */
  check: (state: S, rest: boolean) => string | undefined;
}

export interface Bounds {
  /** Steps from the beginning; states behind are not looked at. */
  depth: number;
  states: number;
}

export interface Explored {
  states: number;
  transitions: number;
  /** Steps of the longest shortest way. */
  depth: number;
  /** Whether all states within reach were seen, none cut off by a bound. */
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
