/** The queues as the API shows them: what their gates know, how deep they are, and which batches wait in them. */
import type { ReadOpenBatches, WatchedBatch } from '../../batches/watch/read-open-batches.ts';
import { readQuotas } from '../../limits/quota-row.ts';
import { inParallel } from '../../parallel.ts';
import type { Depths } from '../../wake/depths.ts';
import type { GateDeps } from '../../wake/gate/gate.ts';
import { type GateRow, newGate } from '../../wake/gate/gate-row.ts';
import type { QueueAddress, Registry } from '../../workload/registry.ts';
import { type Backlog, backlogOf, backlogs } from './backlog.ts';
import { isLimited, type KnownLimits, limitsView } from './limits-view.ts';
import { readGates } from './read-gates.ts';
import type { LoadView, QueueView } from './schemas.ts';

export interface QueueViewsDeps {
  /** Its `now` is service time in milliseconds. */
  gate: Pick<GateDeps, 'table' | 'now'>;
  registry: Registry;
  recentDepth: Depths['recentDepth'];
  readOpenBatches: ReadOpenBatches;
}

/**
 * Age from which on a depth is measured again: of a queue at rest, whose next message also wakes it; of a paused one, whose
 * messages wake nobody; and of any other, which each wave measures, too.
 */
const REST_MS = 60_000;
const PAUSED_MS = 2_000;
const BUSY_MS = 10_000;
const MEASURES_AT_ONCE = 16;

/** What one look at queues has read. */
export interface QueueLook {
  queues: { view: QueueView; gate: GateRow }[];
  /** The open batches of all workloads, and how many of them were read. */
  batches: WatchedBatch[];
  read: number;
}

/**
 * Looks at queues: one query over the gates, one over the open batches, one over the quotas where a workload has limits;
 * one read per open batch whose row was not read within 10 s, and one operation per depth that is not recent. `fresh` reads
 * and measures everything now.
 */
export async function lookAtQueues(
  deps: QueueViewsDeps,
  addresses: readonly QueueAddress[],
  { fresh = false }: { fresh?: boolean } = {},
): Promise<QueueLook> {
  const { table, now } = deps.gate;
  const [gates, quotas, { batches, read }] = await Promise.all([
    readGates(table),
    addresses.some(isLimited) ? readQuotas(table) : undefined,
    deps.readOpenBatches({ fresh }),
  ]);
  const sums = backlogs(deps.registry, batches);
  const queues = await inParallel(addresses, MEASURES_AT_ONCE, async (address) => {
    const stored = gates.get(address.queue) ?? newGate(address.queue);
    const gate = await withDepth(deps, stored, fresh);
    const quota = quotas?.get(address.workload.name);
    return { view: queueView(address, { gate, quota, nowMs: now(), backlog: backlogOf(address, sums) }), gate };
  });
  return { queues, batches, read };
}

/** The depth that its drain has stored counts as well. */
async function withDepth({ recentDepth }: QueueViewsDeps, gate: GateRow, fresh: boolean): Promise<GateRow> {
  const storedMs = Date.parse(gate.depthAt) || 0;
  const depth = await recentDepth(gate.queue, {
    maxAgeMs: fresh ? 0 : maxAgeOf(gate),
    known: { messages: gate.depth, atMs: storedMs },
  });
  return { ...gate, depth: depth.messages, depthAt: new Date(depth.atMs).toISOString() };
}

function maxAgeOf({ paused, status }: GateRow): number {
  if (paused !== undefined) return PAUSED_MS;
  return status === 'idle' ? REST_MS : BUSY_MS;
}

/** What is known of a queue. The depth is that of `gate`, which whoever has measured a newer one replaces. */
export interface KnownQueue extends KnownLimits {
  backlog: Backlog | null;
}

/** A queue as the API shows it: what its workload says, what its gate knows, and its part in the workload's limits. */
export function queueView(address: QueueAddress, known: KnownQueue): QueueView {
  const { queue, workload, lane, kind } = address;
  const { gate, backlog } = known;
  const { status, generation, depth, active, total, idleCount, wakes, missedWakes, orphanedReferences } = gate;
  const { taskLimit, throttled, itemsPerSecond, secondsPerReference, policyVersion, paused, startFailure, due } = gate;
  return {
    queue,
    workload: workload.name,
    lane,
    kind,
    pool: workload.pool,
    status,
    generation,
    depth,
    depthAt: gate.depthAt || null,
    backlog,
    active,
    total,
    idleCount,
    wakes,
    paused: paused ?? null,
    startFailure: startFailure ?? null,
    missedWakes,
    orphanedReferences,
    taskLimit,
    throttled,
    itemsPerSecond,
    secondsPerReference,
    load: loadView(gate),
    policyVersion,
    dueAt: due[0] ?? null,
    limits: limitsView(address, known),
  };
}

const loadView = ({ instances, cpu, eventLoop, responseMs, latencyMs }: GateRow): LoadView | null =>
  instances === 0 ? null : { instances, cpu, eventLoop, responseMs, latencyMs };
