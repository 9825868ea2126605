import { hasPauseEnded } from '../pauses.ts';
import { type Entity, fromEntity, type StoredEntity, toEntity } from '../storage/entity.ts';
import { defineRow, double, int32, int64, json, optional, type RowOf, text } from '../storage/row.ts';
import type { WaveRecord } from './wave-record.ts';

/** All gates are in one partition, so that one query reads the gates of all queues. */
export const GATES_PARTITION = 'gates';
const GATE_PREFIX = 'gate:';
const HEARTBEAT = 'heartbeat:';
const POLICY = 'policy:';

/**
 * Why a queue is paused although it may hold work. `probeAt` is the time at which the open circuit lets one task try
 * again; an open circuit without it lets one task try the next message that can be received. `until` is the time at which an
 * operator's pause ends by itself.
 */
export interface Pause {
  by: 'operator' | 'circuit';
  reason: string;
  since: string;
  until?: string | undefined;
  probeAt?: string;
  /** Number of consecutive failed probes; determines the wait before the next one. */
  probes?: number;
  /** Items that undecided probes have run since the last verdict, and how many of them failed. */
  ran?: number;
  failures?: number;
}

/** A drain that the durable runtime did not start, so its work waits. `since` is when a sweep first found that. */
export interface StartFailure {
  since: string;
  error: string;
}

/**
 * The gate of one queue: at most one drain holds it. `wakes` counts the wakes that came while it was held; a release
 * succeeds only if none came since the queue was measured. Times are service times, ISO text.
 */
export const GATE = defineRow('gate', {
  status: text<'idle' | 'draining'>('idle'),
  generation: int32(0),
  instanceId: text(''),
  wakes: int64(0),
  /** When this generation acquired the gate; replaces the heartbeat until the first one. */
  acquiredAt: text(''),
  /** The time until which a silent drain counts as alive; empty before its first heartbeat. */
  aliveUntil: text(''),
  /** When delayed messages become visible, as far as that is known; ascending. */
  due: json<readonly string[]>([]),
  /** The time of the scheduled wake if the gate was released with invisible work; empty if the queue was drained. */
  parkedUntil: text(''),
  depth: int64(0),
  /** When the depth was measured; empty if it never was. */
  depthAt: text(''),
  active: int32(0),
  /** Tasks that the current wave would have without the other queues of its pool. */
  wanted: int32(0),
  total: int64(0),
  idleCount: int64(0),
  paused: optional(json<Pause>()),
  /** Set by a sweep, kept after a take-over, and cleared by the first wave that runs. */
  startFailure: optional(json<StartFailure>()),
  missedWakes: int64(0),
  /** When the latest lost wake was found; empty if there was none. */
  missedWakeAt: text(''),
  orphanedReferences: int64(0),
  policyVersion: int32(0),
  /** Measured time of a dequeue task per reference, in seconds; 0 before the first measurement. */
  secondsPerReference: double(0),
  /** Maximum number of tasks per wave at present, by throttling, slow responses and failures. 0 means no limit. */
  taskLimit: int32(0),
  /** Number of tasks that was too many when the limit was last lowered; it grows with each wave since. 0 means never. */
  pressedAt: double(0),
  /** Number of waves since then that ran as many tasks as the limit allows. */
  calmWaves: int64(0),
  /** Number of tasks that the limits of the workload can feed, by the last wave; 0 if not known. */
  fedTasks: int32(0),
  /** Tasks of the previous wave, to measure the effect of more or fewer tasks. */
  waveTasks: int32(0),
  /** Fraction of items that failed for retry in the last wave, and the fraction that did not fall with fewer tasks. */
  failureRate: double(0),
  baselineFailureRate: double(0),
  /** When the oldest batch of the last wave was accepted; empty if unknown, and after the queue was drained. */
  oldestAt: text(''),
  throttled: int64(0),
  itemsPerSecond: int64(0),
  /** Number of processes that ran the last wave; 0 if not measured yet, and then the values below have no meaning. */
  instances: int32(0),
  /** Fraction of its cores that the busiest process used, 0 to 1. */
  cpu: double(0),
  /** Event loop utilization of the main thread in the busiest process, 0 to 1. */
  eventLoop: double(0),
  /** Mean response time of storage operations in the last wave, and the usual one (0 if not known); milliseconds. */
  responseMs: double(0),
  usualResponseMs: double(0),
  /** Age of the oldest work of the last wave at the end of the wave, since its acceptance; milliseconds. */
  latencyMs: int64(0),
  /** The latest waves of all drains of the queue, oldest first. */
  waves: json<readonly WaveRecord[]>([]),
});
export type GateRow = RowOf<typeof GATE> & { queue: string };

/** Returns the pause of a queue; undefined if there is none, or if its end has passed. */
export const presentPause = ({ paused }: Pick<GateRow, 'paused'>, nowMs: number): Pause | undefined =>
  paused === undefined || hasPauseEnded(paused, nowMs) ? undefined : paused;

/** Whether the drain of `generation` holds the gate. */
export const isHeldBy = ({ status, generation: holder }: GateRow, generation: number): boolean =>
  status === 'draining' && holder === generation;

/** A gate that has never been woken. */
export const newGate = (queue: string): GateRow => ({ queue, ...GATE.initial });

/**
 * Returns when the drain of a gate last gave a sign of life, in milliseconds. Returns 0 if the row has no valid time
 * (because of a manual change): NaN would keep the drain alive indefinitely.
 */
export const lastSignMs = ({ aliveUntil, acquiredAt }: Pick<GateRow, 'aliveUntil' | 'acquiredAt'>): number =>
  Date.parse(aliveUntil || acquiredAt) || 0;

/** How long a drain that the runtime reports as Running may be silent before it counts as dead. */
export const SILENCE_MS = 10 * 60 * 1000;

/** The id of the orchestration that drains `queue` as its `generation`. */
export const drainInstanceId = (queue: string, generation: number): string => `drain-${queue}-${generation}`;

export const gateRowKey = (queue: string): string => `${GATE_PREFIX}${queue}`;
export const heartbeatRowKey = (queue: string, task: string): string => `${HEARTBEAT}${queue}:${task}`;
export const policyRowKey = (queue: string): string => `${POLICY}${queue}`;
export const queueOfPolicy = (rowKey: string): string => rowKey.slice(POLICY.length);
/** Bounds of all policy rows in a query by row key (';' follows ':'). */
export const policyRows = { from: POLICY, to: POLICY.replace(':', ';') } as const;
/** Bounds of all heartbeat rows of a queue in a query by row key (';' follows ':'). */
export const heartbeatRows = (queue: string): { from: string; to: string } => ({
  from: `${HEARTBEAT}${queue}:`,
  to: `${HEARTBEAT}${queue};`,
});
/** Bounds of all gate rows in a query by row key, or of those whose queues' names begin with `prefix`. */
export const gateRows = (prefix = ''): { from: string; to: string } => ({
  from: `${GATE_PREFIX}${prefix}`,
  // This character sorts after all characters of a queue name.
  to: `${GATE_PREFIX}${prefix}~`,
});

/** The table entity of a gate. */
export const toGateEntity = ({ queue, ...columns }: GateRow): StoredEntity =>
  toEntity(GATE, { partitionKey: GATES_PARTITION, rowKey: gateRowKey(queue) }, columns);

/** Creates a gate from its entity; columns that an older row lacks have their initial value. */
export const fromGateEntity = (entity: Entity): { row: GateRow; etag: string } => ({
  row: { queue: entity.rowKey.slice(GATE_PREFIX.length), ...fromEntity(GATE, entity) },
  etag: entity.etag,
});
