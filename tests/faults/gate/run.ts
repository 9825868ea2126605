/** Explores one scenario of the gate. */
import { type Bounds, type Explored, explore } from '../explorer/explore.ts';
import { createPrograms } from '../explorer/programs.ts';
import { check } from './checks.ts';
import { gatePrograms, type Parts, REAL } from './programs.ts';
import { createSteps } from './steps.ts';
import { type Budget, keyOf, T0, type World } from './world.ts';

export interface Scenario {
  publishers: number;
  budget?: Partial<Budget>;
}

const NO_FAULTS: Budget = { crash: 0, echo: 0, publish: 0, jump: 0, pause: 0, outage: 0 };
/** More than any scenario below has; a run that meets it says that it is not complete. */
const MANY: Bounds = { depth: 1_000, states: 3_000_000 };

/** Explores all that can happen in a scenario, with the real code or with a mutant of it. */
export async function exploreGate(
  { publishers, budget = {} }: Scenario,
  mutant: Partial<Parts> = {},
  bounds: Partial<Bounds> = {},
): Promise<Explored & { runs: number }> {
  const programs = createPrograms(gatePrograms({ ...REAL, ...mutant }));
  const point = await programs.start('publisher', {}, T0);
  const world: World = {
    now: T0,
    rows: {},
    messages: [],
    events: 0,
    scheduled: [],
    instances: {},
    actors: Array.from({ length: publishers }, () => ({ kind: 'publisher', point, input: {} })),
    budget: { ...NO_FAULTS, ...budget },
    faulty: false,
    swept: false,
  };
  const model = { initial: [world], next: createSteps(programs), key: keyOf, check };
  return { ...(await explore(model, { ...MANY, ...bounds })), runs: programs.runs };
}
