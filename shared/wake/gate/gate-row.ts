import type { DrainRecord } from '../../cost/drains/drain-spending.ts';
import { type Entity, fromEntity, type StoredEntity, toEntity } from '../../storage/entity.ts';
import type { WaveRecord } from './wave-record.ts';

/** All gates are in one partition, so that one query reads the gates of all queues. */
export const GATES_PARTITION = 'gates';
const GATE = 'gate:';
const HEARTBEAT = 'heartbeat:';
const POLICY = 'policy:';

/**
 * Why a queue is paused although it may hold work. `probeAt` is the time at which the open circuit lets one task try
 * again; an open circuit without it lets one task try the next message that can be received.
 */
export interface Pause {
  by: 'operator' | 'circuit';
  reason: string;
  since: string;
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
export interface GateRow {
  queue: string;
  status: 'idle' | 'draining';
  generation: number;
  instanceId: string;
  wakes: number;
  /** When this generation acquired the gate; replaces the heartbeat until the first one. */
  acquiredAt: string;
  /** The time until which a silent drain counts as alive; empty before its first heartbeat. */
  aliveUntil: string;
  /** When delayed messages become visible, as far as that is known; ascending. */
  due: readonly string[];
  /**
   * The time of the scheduled wake if the gate was released with work that is still invisible; empty if the queue was
   * drained.
   */
  parkedUntil: string;
  depth: number;
  /** When the depth was measured; empty if it never was. */
  depthAt: string;
  active: number;
  total: number;
  idleCount: number;
  paused?: Pause | undefined;
  /** Set by a sweep, kept after a take-over, and cleared by the first wave that runs. */
  startFailure?: StartFailure | undefined;
  missedWakes: number;
  /** When the latest lost wake was found; empty if there was none, or if an older version counted it. */
  missedWakeAt: string;
  orphanedReferences: number;
  policyVersion: number;
  /** Measured time of a dequeue task per reference, in seconds; 0 before the first measurement. */
  secondsPerReference: number;
  /**
   * Maximum number of tasks per wave at present. Throttling, slow responses and failures lower it, growing throughput
   * raises it. 0 means no limit.
   */
  taskLimit: number;
  /** Number of tasks that was too many when the limit was last lowered; it grows with each wave since. 0 means never. */
  pressedAt: number;
  /** Number of waves since then that ran as many tasks as the limit allows. */
  calmWaves: number;
  /** Number of tasks that the limits of the workload can feed, by the last wave; 0 if not known. */
  fedTasks: number;
  /** Tasks of the previous wave, to measure the effect of more or fewer tasks. */
  waveTasks: number;
  /** Share of items that failed for retry in the last wave, and the share that did not fall with fewer tasks. */
  failureRate: number;
  baselineFailureRate: number;
  /** When the oldest batch of the last wave was accepted; empty if unknown, and after the queue was drained. */
  oldestAt: string;
  /** Throttled responses in the last wave. */
  throttled: number;
  itemsPerSecond: number;
  /** Number of processes that ran the last wave; 0 if not measured yet, and then the values below have no meaning. */
  instances: number;
  /** Share of its cores that the busiest process used, 0 to 1. */
  cpu: number;
  /** Event loop utilization of the main thread in the busiest process, 0 to 1. */
  eventLoop: number;
  /** Mean response time of storage operations in the last wave, and the usual one (0 if not known); milliseconds. */
  responseMs: number;
  usualResponseMs: number;
  /** Age of the oldest work of the last wave at the end of the wave, since its acceptance; milliseconds. */
  latencyMs: number;
  /** The latest waves of all drains of the queue, oldest first. */
  waves: readonly WaveRecord[];
  /** What the latest drains have spent for the queue and for no single batch, oldest first. */
  spent: readonly DrainRecord[];
}

/** Whether the drain of `generation` holds the gate. */
export const isHeldBy = ({ status, generation: holder }: GateRow, generation: number): boolean =>
  status === 'draining' && holder === generation;

/** A gate that has never been woken. */
export const newGate = (queue: string): GateRow => ({
  queue,
  status: 'idle',
  generation: 0,
  instanceId: '',
  wakes: 0,
  acquiredAt: '',
  aliveUntil: '',
  due: [],
  parkedUntil: '',
  depth: 0,
  depthAt: '',
  active: 0,
  total: 0,
  idleCount: 0,
  missedWakes: 0,
  missedWakeAt: '',
  orphanedReferences: 0,
  policyVersion: 0,
  secondsPerReference: 0,
  taskLimit: 0,
  pressedAt: 0,
  calmWaves: 0,
  fedTasks: 0,
  waveTasks: 0,
  failureRate: 0,
  baselineFailureRate: 0,
  oldestAt: '',
  throttled: 0,
  itemsPerSecond: 0,
  instances: 0,
  cpu: 0,
  eventLoop: 0,
  responseMs: 0,
  usualResponseMs: 0,
  latencyMs: 0,
  waves: [],
  spent: [],
});

/**
 * Returns when the drain of a gate last gave a sign of life, in milliseconds. Returns 0 if the row has no valid time
 * (because an older version or a manual change wrote it): NaN would keep the drain alive indefinitely.
 */
export const lastSignMs = ({ aliveUntil, acquiredAt }: Pick<GateRow, 'aliveUntil' | 'acquiredAt'>): number =>
  Date.parse(aliveUntil || acquiredAt) || 0;

/** The id of the orchestration that drains `queue` as its `generation`. */
export const drainInstanceId = (queue: string, generation: number): string => `drain-${queue}-${generation}`;

export const gateRowKey = (queue: string): string => `${GATE}${queue}`;
export const heartbeatRowKey = (queue: string, task: string): string => `${HEARTBEAT}${queue}:${task}`;
export const policyRowKey = (queue: string): string => `${POLICY}${queue}`;
/** The queue of a policy row. */
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
  from: `${GATE}${prefix}`,
  // This character sorts after all characters of a queue name.
  to: `${GATE}${prefix}~`,
});

/** The table entity of a gate. */
export const toGateEntity = ({ queue, ...columns }: GateRow): StoredEntity =>
  toEntity('gate', { partitionKey: GATES_PARTITION, rowKey: gateRowKey(queue) }, columns);

/** Creates a gate from its entity; columns that an older row lacks have their initial value. */
export function fromGateEntity(entity: Entity): { row: GateRow; etag: string } {
  const queue = entity.rowKey.slice(GATE.length);
  const columns = fromEntity('gate', entity) as Partial<Omit<GateRow, 'queue'>>;
  return { row: { ...newGate(queue), ...columns }, etag: entity.etag };
}
