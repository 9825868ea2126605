/** The whole state that the gate's code can change, as plain data. */

import {
  drainInstanceId,
  fromGateEntity,
  GATES_PARTITION,
  type GateRow,
  gateRowKey,
} from '../../../shared/gate/gate-row.ts';
import type { Entity } from '../../../shared/storage/entity.ts';
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
  /** `Running` without an actor is an instance that never makes progress again. */
  status: 'Running' | 'Completed' | 'Failed';
}

/** An actor that runs real code. */
export interface Actor {
  kind: 'publisher' | 'operator' | 'deployment' | 'waker' | 'sweeper' | 'slice' | 'finishWave';
  point: Point;
  input: unknown;
  instance?: string;
  generation?: number;
  /** The runtime has abandoned it, but it continues to run. */
  zombie?: true;
  /** Whether its generation held the gate when it began. */
  owned?: boolean;
  /** It has passed the fence to the queue. */
  inside?: true;
  /** The gate's wakes when it last measured the queue. */
  wakes?: number;
  /** The lease it holds. */
  lease?: { message: number; delivery: number };
}

/** The remaining number of each kind of fault. */
export interface Budget {
  /** A process dies, an activity is handed out again, or an orchestration never makes progress again. */
  crash: number;
  /** An answer is lost after its effect, and the SDK's own repeat encounters the effect. */
  echo: number;
  /** The topic refuses an event. */
  publish: number;
  /** The clock jumps during the work of an actor, by more than any limit. */
  jump: number;
  /** The time until a crashed instance is back; the run is still healthy. */
  pause: number;
  /** A downstream outage, which opens the circuit. */
  outage: number;
  /** The runtime refuses a call of the sweep, or starts an instance and its answer is lost. */
  runtime: number;
  /** A sweep at any time, in addition to the one at the end. */
  sweep: number;
}

export interface World {
  now: number;
  rows: Rows;
  messages: readonly Message[];
  /** Wake events in progress, and the times of scheduled ones. */
  events: number;
  scheduled: readonly number[];
  instances: Readonly<Record<string, Instance>>;
  actors: readonly Actor[];
  budget: Budget;
  /** Whether a fault happened that may make two drains overlap. */
  faulty: boolean;
  /** Whether a drain or a deployment has released the gate after a failure, with a wake in a minute. */
  gaveUp: boolean;
  swept: boolean;
  /** A violation of a single step. */
  broken?: string;
}

/** The current gate; empty if it was never woken. */
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

/**
 * Whether the drain named in the gate was started and did not complete. Only a take-over by heartbeat or sweep saves its queue.
 */
export function hasDeadDrain({ rows, instances }: World): boolean {
  const { status, generation = 0 } = gateOf(rows);
  const instance = instances[drainInstanceId(QUEUE, generation)];
  return status === 'draining' && instance !== undefined && instance.status !== 'Completed';
}

export const leftover = ({ messages }: World): boolean => messages.some(({ at }) => at !== 'gone');

/**
 * Creates a key that is equal for two worlds exactly if they differ at most in the order of actors. Worlds share most
 * of their parts: each part is serialized once, and then represented by the number of its text.
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
