/** Explores one scenario of the gate. */
import {
  drainInstanceId,
  GATES_PARTITION,
  type GateRow,
  gateRowKey,
  newGate,
  toGateEntity,
} from '../../../shared/gate/gate-row.ts';
import { type Bounds, type Explored, explore } from '../explorer/explore.ts';
import { createPrograms } from '../explorer/programs.ts';
import { check } from './checks.ts';
import { gatePrograms, type Parts, QUEUE, REAL } from './programs.ts';
import { createSteps } from './steps.ts';
import { type Actor, type Budget, createKeyOf, T0, type World } from './world.ts';

export interface Scenario {
  publishers: number;
  /** Number of operators. Each pauses the queue once, for a minute. */
  pauses?: number;
  /** Number of deployments. Each pauses the queue for a minute, and resumes it. */
  deployments?: number;
  /** Starts with a drain that has sent no heartbeat for an hour, a remaining message, and wakes in progress. */
  deadDrain?: { events: number };
  budget?: Partial<Budget>;
}

export interface Options {
  /** The replaced parts of the real code. */
  parts?: Partial<Parts>;
  /** Ignores violations of single steps, and judges only the final result. */
  blind?: boolean;
  bounds?: Partial<Bounds>;
}

const NO_FAULTS: Budget = { crash: 0, echo: 0, publish: 0, jump: 0, pause: 0, outage: 0, runtime: 0, sweep: 0 };
/** About 3 GB of memory. A run that reaches it reports that it is not complete. */
const MANY: Bounds = { depth: 1_000, states: 3_000_000 };

/** Explores all possible executions of a scenario, with the real code or with a mutant of it. */
export async function exploreGate(
  { publishers, pauses = 0, deployments = 0, deadDrain, budget = {} }: Scenario,
  { parts = {}, blind = false, bounds = {} }: Options = {},
): Promise<Explored> {
  const programs = createPrograms(gatePrograms({ ...REAL, ...parts }));
  const beginning = async (kind: Actor['kind'], count: number): Promise<Actor[]> => {
    const point = await programs.start(kind, {}, T0);
    return Array.from({ length: count }, () => ({ kind, point, input: {} }));
  };
  const world: World = {
    now: T0,
    rows: {},
    messages: [],
    events: 0,
    scheduled: [],
    instances: {},
    actors: [
      ...(await beginning('publisher', publishers)),
      ...(await beginning('operator', pauses)),
      ...(await beginning('deployment', deployments)),
    ],
    budget: { ...NO_FAULTS, ...budget },
    faulty: false,
    gaveUp: false,
    swept: false,
    ...(deadDrain === undefined ? {} : withDeadDrain(deadDrain)),
  };
  const judge = (state: World, rest: boolean): string | undefined => {
    const { broken: _broken, ...seen } = state;
    return check(blind ? seen : state, rest);
  };
  return explore(
    { initial: [world], next: createSteps(programs), key: createKeyOf(), check: judge },
    { ...MANY, ...bounds },
  );
}

function withDeadDrain({ events }: { events: number }): Partial<World> {
  const [acquiredAt, aliveUntil] = [T0 - 7_200_000, T0 - 3_600_000].map((ms) => new Date(ms).toISOString());
  const id = drainInstanceId(QUEUE, 1);
  const gate = {
    ...newGate(QUEUE),
    status: 'draining',
    generation: 1,
    instanceId: id,
    acquiredAt,
    aliveUntil,
  } as GateRow;
  return {
    rows: { [`${GATES_PARTITION}|${gateRowKey(QUEUE)}`]: { version: 1, columns: toGateEntity(gate) } },
    messages: [{ at: 'visible', deliveries: 1 }],
    instances: { [id]: { generation: 1, status: 'Running' } },
    events,
    faulty: true,
  };
}
