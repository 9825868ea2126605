/** The representation of queues in the API: data of their gates, their depth, and their batches. */
import type { WatchedBatch } from '../../batches/watch/read-open-batches.ts';
import { GATE, type GateRow, newGate, presentPause } from '../../gate/gate-row.ts';
import { readGates } from '../../gate/gate-store.ts';
import { readQuotas } from '../../limits/quota-row.ts';
import { inParallel } from '../../parallel.ts';
import { pickColumns, pickValues } from '../../storage/row.ts';
import type { QueueAddress } from '../../workload/registry.ts';
import type { Reads } from '../edge/app.ts';
import { type Backlog, backlogOf, backlogs } from './backlog.ts';
import { isLimited, type KnownLimits, limitsView } from './limits-view.ts';
import { queueNotes } from './queue-notes.ts';
import type { QueueView } from './schemas.ts';

export type QueueReads = Pick<Reads, 'gate' | 'registry' | 'recentDepth' | 'readOpenBatches'>;

/**
 * Maximum age of a depth before it is measured again: for an idle queue, whose next message also wakes it; for a paused queue,
 * whose messages wake no drain; and for others, which each wave measures, too.
 */
const REST_MS = 60_000;
const PAUSED_MS = 2_000;
const BUSY_MS = 10_000;
const MEASURES_AT_ONCE = 16;

export interface QueueReading {
  queues: { view: QueueView; gate: GateRow }[];
  /** The open batches of all workloads. `read` is the number of those whose rows were read. */
  batches: WatchedBatch[];
  read: number;
}

/**
 * Reads queues: one query for the gates, one for the open batches, and one for the quotas if a workload has limits; one read
 * per open batch whose row was not read within 10 s, and one operation per depth that is not recent. `fresh` reads and
 * measures everything now.
 */
export async function readQueueViews(
  deps: QueueReads,
  addresses: readonly QueueAddress[],
  fresh: boolean,
): Promise<QueueReading> {
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

/** Uses the depth that the drain has stored, if it is recent enough. */
async function withDepth({ recentDepth }: QueueReads, gate: GateRow, fresh: boolean): Promise<GateRow> {
  const known = { messages: gate.depth, atMs: Date.parse(gate.depthAt) || 0 };
  const depth = await recentDepth(gate.queue, { maxAgeMs: fresh ? 0 : maxAgeOf(gate), known });
  return { ...gate, depth: depth.messages, depthAt: new Date(depth.atMs).toISOString() };
}

function maxAgeOf({ paused, status }: GateRow): number {
  if (paused !== undefined) return PAUSED_MS;
  return status === 'idle' ? REST_MS : BUSY_MS;
}

/** Reads one queue. */
export async function readQueueView(deps: QueueReads, address: QueueAddress, fresh = false) {
  const { queues } = await readQueueViews(deps, [address], fresh);
  if (queues[0] !== undefined) return queues[0];
  throw new Error(`Expected a view of queue ${address.queue}, got none.`);
}

const OF_GATE = pickColumns(GATE, [
  ...(['status', 'generation', 'depth', 'active', 'total', 'idleCount', 'wakes', 'missedWakes', 'taskLimit'] as const),
  ...(['orphanedReferences', 'throttled', 'itemsPerSecond', 'secondsPerReference', 'policyVersion'] as const),
]);

/** A queue in the format of the API: fields of its workload and its gate, and its share of the workload's limits. */
function queueView(address: QueueAddress, known: KnownLimits & { backlog: Backlog | null }): QueueView {
  const { queue, workload, lane, kind } = address;
  const { gate, backlog, nowMs } = known;
  const { instances, cpu, eventLoop, responseMs, latencyMs } = gate;
  const view: Omit<QueueView, 'notes'> = {
    queue,
    workload: workload.name,
    lane,
    kind,
    pool: workload.pool,
    ...pickValues(OF_GATE, gate),
    depthAt: gate.depthAt || null,
    backlog,
    paused: presentPause(gate, nowMs) ?? null,
    startFailure: gate.startFailure ?? null,
    load: instances === 0 ? null : { instances, cpu, eventLoop, responseMs, latencyMs },
    dueAt: gate.due[0] ?? null,
    limits: limitsView(address, known),
  };
  return { ...view, notes: queueNotes(view, nowMs) };
}
