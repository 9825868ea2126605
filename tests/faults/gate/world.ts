/** All that the gate's code can touch, as plain data. */
import type { Entity } from '../../../shared/storage/entity.ts';
import {
  drainInstanceId,
  fromGateEntity,
  GATES_PARTITION,
  type GateRow,
  gateRowKey,
} from '../../../shared/wake/gate/gate-row.ts';
import type { Point } from '../explorer/programs.ts';
import { type Rows, tableEffect } from '../explorer/table-stub.ts';
import { QUEUE } from './programs.ts';

/** Model time at the beginning: 2026-01-01T00:00:00Z. */
export const T0 = 1_767_225_600_000;

/** Invisible until a time, or one of the two ends; `deliveries` distinguishes a new lease from an old one. */
export interface Message {
  at: 'visible' | 'gone' | number;
  deliveries: number;
}

export interface Instance {
  generation: number;
  /** `Running` without an actor of its own is an instance that never moves again. */
  status: 'Running' | 'Completed' | 'Failed';
}

/** Somebody who runs real code. */
export interface Actor {
  kind: 'publisher' | 'waker' | 'sweeper' | 'slice' | 'finishWave';
  point: Point;
  input: unknown;
  instance?: string;
  generation?: number;
  /** The runtime has given it up, and it runs on. */
  zombie?: true;
  /** Whether the gate was its generation's when it began. */
  owned?: boolean;
  /** It has gone past the fence to the queue. */
  inside?: true;
  /** The gate's wakes when it last measured the queue. */
  wakes?: number;
  /** The lease it holds. */
  lease?: { message: number; delivery: number };
}

/** How many of each kind of fault may still happen. */
export interface Budget {
  /** A process dies, or an activity is handed out again, or an orchestration never moves again. */
  crash: number;
  /** An answer is lost after its effect, and the SDK's own retry meets the effect. */
  echo: number;
  /** The topic refuses an event. */
  publish: number;
  /** The clock jumps while somebody is at work: by more than any limit. */
  jump: number;
  /** As long as a crashed instance takes to come back; still a healthy run. */
  pause: number;
  /** A downstream outage, which opens the circuit. */
  outage: number;
  /** The runtime refuses a call of the sweep, or starts an instance and its answer is lost. */
  runtime: number;
  /** A sweep at any time, beside the one at the end. */
  sweep: number;
}

export interface World {
  now: number;
  rows: Rows;
  messages: readonly Message[];
  /** Wake events under way, and the times of scheduled ones. */
  events: number;
  scheduled: readonly number[];
  instances: Readonly<Record<string, Instance>>;
  actors: readonly Actor[];
  budget: Budget;
  /** Whether anything went wrong that may make two drains overlap. */
  faulty: boolean;
  /** Whether a drain gave its gate up, with a wake in a minute. */
  gaveUp: boolean;
  swept: boolean;
  /** What a step was seen to do wrong. */
  broken?: string;
}

/** The gate as anybody would read it now; empty when it was never woken. */
export function gateOf(rows: Rows): Partial<GateRow> {
  const known = gates.get(rows);
  if (known) return known;
  const read = tableEffect(rows, 'table.get', [GATES_PARTITION, gateRowKey(QUEUE)])?.answer;
  const gate = read && 'value' in read ? fromGateEntity(read.value as Entity).row : {};
  gates.set(rows, gate);
  return gate;
}
const gates = new WeakMap<Rows, Partial<GateRow>>();

export const owns = (rows: Rows, generation: number | undefined): boolean => {
  const gate = gateOf(rows);
  return gate.status === 'draining' && gate.generation === generation;
};

/** Whether the drain that the gate names was there once: a take-over by heartbeat or sweep is what saves its queue. */
export function hasDeadDrain({ rows, instances }: World): boolean {
  const { status, generation = 0 } = gateOf(rows);
  const instance = instances[drainInstanceId(QUEUE, generation)];
  return status === 'draining' && instance !== undefined && instance.status !== 'Completed';
}

export const leftover = ({ messages }: World): boolean => messages.some(({ at }) => at !== 'gone');

/**
 * Makes a key that is equal for two worlds exactly if they differ at most in the order in which actors are listed. Worlds
 * share most of their parts: each part is written out once, and named by the number of its text from then on.
 */
export function createKeyOf(): (world: World) => string {
  const numbers = new Map<string, number>();
  const known = new WeakMap<object, number>();
  const numberOf = <T extends object>(part: T, plain: (part: T) => unknown = (same) => same): number => {
    const before = known.get(part);
    if (before !== undefined) return before;
    const text = JSON.stringify(plain(part));
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    known.set(part, number);
    return number;
  };
  const plainActor = ({ point, input: _input, ...actor }: Actor): unknown => ({ point: point.id, ...actor });
  return ({ rows, messages, instances, budget, actors, ...world }) => {
    const shared = [rows, messages, instances, budget].map((part) => numberOf(part));
    const named = actors.map((actor) => numberOf(actor, plainActor)).sort((a, b) => a - b);
    return JSON.stringify([world, shared, named]);
  };
}

/** Adds an actor that begins a program. */
export type Begin = (world: World, kind: Actor['kind'], input: unknown, fields?: Partial<Actor>) => Promise<World>;
