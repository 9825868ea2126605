/** Explores one scenario of a chunk's life. */
import type { HaltRule } from '../../../shared/workload/define.ts';
import { type Bounds, type Explored, explore } from '../explorer/explore.ts';
import { createPrograms } from '../explorer/programs.ts';
import { check } from './checks.ts';
import { type Change, chunkPrograms, type Role } from './programs.ts';
import { createSteps, type Limits } from './steps.ts';
import { type Budget, firstWorld, keyOf } from './world.ts';

export interface Scenario {
  items: number;
  /** Previous isolated starts of the chunk: with two, it is split or killed. */
  starts?: number;
  /** The workload's halt rule. */
  halt?: HaltRule;
  limits?: Partial<Limits>;
  /** The roles that `budget.crash` applies to; defaults to all. */
  mortal?: readonly Role[];
  budget?: Partial<Budget>;
  /** Whether the worker that ends the last chunk collects the batch. By default, a result message is collected. */
  collectsHere?: boolean;
}

const NOTHING: Budget = {
  crash: 0,
  redeliver: 0,
  echo: 0,
  whim: 0,
  resend: 0,
  cancel: 0,
  cancelPaused: 0,
  pause: 0,
  stop: 0,
  leave: 0,
  busy: 0,
  redrive: 0,
  discard: 0,
  sweep: 1,
};
/** Some GB of memory. A run that reaches it reports that it is not complete. */
const MANY: Bounds = { depth: 1_000, states: 3_000_000 };

/** Explores all possible executions of a scenario, with the real code or with a mutant of it. */
export async function exploreChunk(
  { items, starts = 0, halt, limits = {}, mortal, budget = {}, collectsHere = false }: Scenario,
  { change, bounds = {} }: { change?: Change; bounds?: Partial<Bounds> } = {},
): Promise<Explored> {
  const programs = createPrograms(chunkPrograms({ change, halt, collectsHere }));
  const world = firstWorld({ items, starts, halts: halt !== undefined, budget: { ...NOTHING, ...budget } });
  const next = createSteps(programs, { worker: 2, collector: 1, resumer: 1, ...limits }, mortal);
  return explore({ initial: [world], next, key: keyOf, check }, { ...MANY, ...bounds });
}
