import type { DrainRecord } from '../../cost/drain-spending.ts';
import { type Entity, fromEntity, type StoredEntity, toEntity } from '../../storage/entity.ts';
import type { WaveRecord } from './wave-record.ts';

/** All gates lie in one partition, so that one query shows every queue. */
export const GATES_PARTITION = 'gates';
const GATE = 'gate:';
const HEARTBEAT = 'heartbeat:';
const POLICY = 'policy:';

/** Why a queue does not drain although it may hold work. `probeAt` is when the circuit lets one task try again. */
export interface Pause {
  by: 'operator' | 'circuit';
  reason: string;
  since: string;
  probeAt?: string;
  /** How many probes have failed in a row; sizes the wait before the next. */
  probes?: number;
}

/** A drain that the durable runtime did not start; its work waits. `since` is when a sweep first found it so. */
export interface StartFailure {
  since: string;
  error: string;
}

/**
 * The gate of one queue: at most one drain holds it. `wakes` counts the wake-ups that came while it was held; a release
 * goes through only if none came since the queue was measured. Times are service times, ISO text.
 */
export interface GateRow {
  queue: string;
  status: 'idle' | 'draining';
  generation: number;
  instanceId: string;
  wakes: number;
  /** When this generation took the gate; stands in for a heartbeat until the first one. */
  acquiredAt: string;
  /** Until when the drain counts as alive without a further sign; empty before its first. */
  aliveUntil: string;
  /** When delayed messages become visible, as far as it is known; ascending. */
  due: readonly string[];
  /** A released gate with work that is still invisible: when its scheduled wake comes; empty when the queue was drained. */
  parkedUntil: string;
  depth: number;
  /** When the depth was measured; empty: never. */
  depthAt: string;
  active: number;
  total: number;
  idleCount: number;
  paused?: Pause | undefined;
  /** Set by a sweep, kept over take-overs, cleared by the first wave that runs. */
  startFailure?: StartFailure | undefined;
  missedWakes: number;
  /** When the latest of them was found; empty: never, or by an older version. */
  missedWakeAt: string;
  orphanedReferences: number;
  policyVersion: number;
  /** What one reference took of a dequeue task's time, in seconds, as measured; 0 before the first. */
  secondsPerReference: number;
  /**
   * Most tasks that a wave may have at present: lowered by throttling, slow responses or failures, raised while
   * throughput grows.
   */
  taskLimit: number;
  /** Tasks that were too many when the limit was lowered last, and more with each wave since; 0 = never. */
  pressedAt: number;
  /** Waves since then that ran as many tasks as the limit allows. */
  calmWaves: number;
  /** Most tasks that the limits of the workload can feed, by the last wave; 0 = not known. */
  fedTasks: number;
  /** Tasks of the wave before, to see what more of them brought. */
  waveTasks: number;
  /** Share of the last wave's items that failed for retry, and the share that fewer tasks have not lowered. */
  failureRate: number;
  baselineFailureRate: number;
  /** When the oldest batch of the last wave was accepted; empty when unknown, and when the queue was drained. */
  oldestAt: string;
  /** Throttled answers seen in the last wave. */
  throttled: number;
  itemsPerSecond: number;
  /** Processes that ran the last wave; 0 = not measured yet, and then the values below have no meaning. */
  instances: number;
  /** Share of its cores, 0 to 1, that the busiest of them used. */
  cpu: number;
  /** Utilization of the event loop of its main thread, 0 to 1, of the busiest of them. */
  eventLoop: number;
  /** Mean response time of storage operations in the last wave, and the usual one (0: not known); milliseconds. */
  responseMs: number;
  usualResponseMs: number;
  /** Age of the oldest work of the last wave when the wave had ended, since its acceptance; milliseconds. */
  latencyMs: number;
  /** The latest waves of all its drains, oldest first. */
  waves: readonly WaveRecord[];
  /** What its latest drains have spent beside the work of single batches, oldest first. */
  spent: readonly DrainRecord[];
}

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
 * Gives when the drain of a gate was last known to be alive, in milliseconds. 0 when no time of the row can be read (an
 * older version wrote it, or somebody by hand): NaN would keep the drain alive indefinitely.
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
  // A character after all those of a queue's name.
  to: `${GATE}${prefix}~`,
});

/** The table entity of a gate. */
export const toGateEntity = ({ queue, ...columns }: GateRow): StoredEntity =>
  toEntity('gate', { partitionKey: GATES_PARTITION, rowKey: gateRowKey(queue) }, columns);

/** A gate from its entity; columns that an older row lacks have their first value. */
export function fromGateEntity(entity: Entity): { row: GateRow; etag: string } {
  const queue = entity.rowKey.slice(GATE.length);
  const columns = fromEntity('gate', entity) as Partial<Omit<GateRow, 'queue'>>;
  return { row: { ...newGate(queue), ...columns }, etag: entity.etag };
}
