/** Explores one scenario of a chunk's life. */
import { type Bounds, type Explored, explore } from '../explorer/explore.ts';
import { createPrograms } from '../explorer/programs.ts';
import { check } from './checks.ts';
import { type Change, chunkPrograms } from './programs.ts';
import { createSteps, type Limits } from './steps.ts';
import { type Budget, firstWorld, keyOf } from './world.ts';

export interface Scenario {
  items: number;
  /** Isolated starts that the chunk has behind it: with two it is split or killed. */
  starts?: number;
  limits?: Partial<Limits>;
  budget?: Partial<Budget>;
}

const NOTHING: Budget = {
  crash: 0,
  redeliver: 0,
  echo: 0,
  whim: 0,
  resend: 0,
  cancel: 0,
  stop: 0,
  leave: 0,
  redrive: 0,
  sweep: 1,
};
/** Some GB of memory; a run that meets it says that it is not complete. */
const MANY: Bounds = { depth: 1_000, states: 3_000_000 };

/** Explores all that can happen in a scenario, with the real code or with a mutant of it. */
export async function exploreChunk(
  { items, starts = 0, limits = {}, budget = {} }: Scenario,
  { change, bounds = {} }: { change?: Change; bounds?: Partial<Bounds> } = {},
): Promise<Explored> {
  const programs = createPrograms(chunkPrograms(change));
  const world = firstWorld({ items, starts, budget: { ...NOTHING, ...budget } });
  const next = createSteps(programs, { worker: 2, collector: 1, ...limits });
  return explore({ initial: [world], next, key: keyOf, check }, { ...MANY, ...bounds });
}
