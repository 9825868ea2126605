/** Some hundred runs on one stack, and what must be true of it when all have ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import { odata, type TableClient } from '@azure/data-tables';
import { queryEntities } from '../../../shared/batches/table.ts';
import { statusOf } from '../../../shared/errors.ts';
import { fromGateEntity, GATES_PARTITION, gateRows } from '../../../shared/wake/gate-row.ts';
import type { StackFault } from './plan.ts';
import { openRelay } from './relay.ts';
import { carryOut } from './run.ts';
import type { RunEnd, Score } from './score.ts';
import { type FaultStack, startFaultStack } from './stack.ts';
import { type ActiveRun, createTraffic, type Traffic } from './traffic.ts';

export interface EpochOptions {
  appFolder: string;
  folder: string;
  items: number;
  quick: boolean;
  /** Runs under way at a time. */
  slots: number;
  /** The next seed, or undefined when there are no more. */
  nextSeed: () => number | undefined;
  score: Score;
  onEnd: (run: RunEnd) => void;
}

const SWEEP_MS = 8_000;
const QUICK_SWEEP_MS = 2_000;
const QUIET_MS = 120_000;

/** Runs until the seeds are used up, then lets the stack come to rest and checks it. */
export async function runEpoch(options: EpochOptions): Promise<void> {
  const { appFolder, folder, score, slots } = options;
  let stack: FaultStack | undefined;
  const harm = (run: ActiveRun, fault: StackFault): void => {
    if (stack) void inflict(stack, run, fault).catch((error: unknown) => score.problem(`${fault.kind}: ${error}`));
  };
  const traffic = createTraffic(score, harm);
  stack = await startFaultStack({ appFolder, folder, intercept: traffic.intercept });
  let relay = openRelay(stack.serviceBus, traffic, score);
  const inflict = createInflict(traffic, score, async () => {
    await relay.close();
    if (stack) relay = openRelay(stack.serviceBus, traffic, score);
  });
  const sweeping = startSweeping(stack, options.quick ? QUICK_SWEEP_MS : SWEEP_MS);
  try {
    await Promise.all(
      Array.from({ length: slots }, (_, index) => useSlot(stack as FaultStack, traffic, `slot${index}`, options)),
    );
    await settle(stack, slots, score, (queue) => relay.wake(queue));
    score.missed(await missedWakes(stack.gates));
  } finally {
    sweeping.stop();
    await relay.close();
    await stack.stop();
  }
}

async function useSlot(stack: FaultStack, traffic: Traffic, slot: string, options: EpochOptions): Promise<void> {
  const { items, quick, nextSeed, score, onEnd } = options;
  for (let seed = nextSeed(); seed !== undefined; seed = nextSeed()) {
    try {
      const end = await carryOut(stack, traffic, { seed, slot, items, quick });
      score.end(end);
      onEnd(end);
    } catch (error) {
      score.problem(`seed ${seed}: ${error instanceof Error ? error.stack : error}`);
    }
  }
}

function startSweeping(stack: FaultStack, everyMs: number): { stop: () => void } {
  let going = true;
  const sweep = async (): Promise<void> => {
    while (going) {
      await sleep(everyMs);
      await stack.api.sweep();
    }
  };
  void sweep();
  return {
    stop: () => {
      going = false;
    },
  };
}

type Inflict = (stack: FaultStack, run: ActiveRun, fault: StackFault) => Promise<void>;

function createInflict(traffic: Traffic, score: Score, onBroker: () => Promise<void>): Inflict {
  const meetsAll = (kind: string): void => {
    score.fault(kind);
    for (const run of traffic.all()) run.faultedAt = Date.now();
  };
  return async (stack, run, { kind, ms }) => {
    switch (kind) {
      case 'killHost':
        if (await stack.restart('host', ms, 'kill')) meetsAll('host killed');
        return;
      case 'killBroker':
        if (!(await stack.restart('broker', ms, 'kill'))) return;
        await onBroker();
        return meetsAll('broker killed');
      case 'restartStorage':
        if (await stack.restart('storage', ms, 'stop')) meetsAll('storage restarted');
        return;
      case 'freezeStorage':
        if (await stack.freezeStorage(ms)) meetsAll('storage frozen');
        return;
      case 'cutStorage':
        traffic.cut(ms);
        return meetsAll('storage cut off');
      case 'durableBefore':
      case 'durableAfter':
        stack.failDurable(kind === 'durableBefore' ? 'before' : 'after');
        run.faultedAt = Date.now();
        return score.fault(`durable change ${kind === 'durableBefore' ? 'refused' : 'not answered'}`);
      case 'holdDrain':
        if (!(await holdDrain(stack, run.slot))) return;
        run.faultedAt = Date.now();
        return score.fault('drain held for good');
      default:
        kind satisfies never;
    }
  };
}

/** Suspends the orchestration that holds the gate: it stays alive by its status, and never moves. */
async function holdDrain(stack: FaultStack, slot: string): Promise<boolean> {
  const { row } = fromGateEntity((await stack.gates.getEntity(GATES_PARTITION, `gate:${slot}-normal-0`)) as never);
  if (row.status !== 'draining') return false;
  const url = `${stack.url}/runtime/webhooks/durabletask/instances/${row.instanceId}/suspend`;
  return (await fetch(url, { method: 'POST' })).ok;
}

/** Waits until all queues are empty and nothing is open. A duplicate put late may lie there unknown: it is woken for. */
async function settle(
  stack: FaultStack,
  slots: number,
  score: Score,
  wake: (queue: string) => Promise<void>,
): Promise<void> {
  const names = Array.from({ length: slots }, (_, index) => [`slot${index}-normal-0`, `slot${index}-results`]).flat();
  const end = Date.now() + QUIET_MS;
  for (;;) {
    const left = await leftIn(stack, names);
    if (left.length === 0) break;
    if (Date.now() > end) return score.problem(`left over: ${left.join(', ')}`);
    for (const queue of left.filter((name) => names.includes(name))) await wake(queue).catch(() => undefined);
    await sleep(2_000);
  }
  const poison = await leftIn(
    stack,
    names.map((name) => name.replace(/-(normal-0|results)$/, '-poison')),
  );
  if (poison.length > 0) score.problem(`poison: ${poison.join(', ')}`);
}

async function leftIn(stack: FaultStack, names: readonly string[]): Promise<string[]> {
  const left: string[] = [];
  try {
    for (const name of new Set(names)) if ((await depthOf(stack, name)) > 0) left.push(name);
    for await (const { rowKey } of queryEntities(stack.batches, odata`PartitionKey eq ${'open'} and RowKey lt ${'~'}`))
      left.push(`open ${rowKey}`);
  } catch (error) {
    // The last run's fault may still keep storage away.
    left.push(String(error));
  }
  return left;
}

async function depthOf({ queues }: FaultStack, name: string): Promise<number> {
  try {
    return (await queues.getQueueClient(name).getProperties()).approximateMessagesCount ?? 0;
  } catch (error) {
    if (statusOf(error) === 404) return 0;
    throw error;
  }
}

async function missedWakes(gates: TableClient): Promise<number> {
  const { from, to } = gateRows;
  let missed = 0;
  const filter = odata`PartitionKey eq ${GATES_PARTITION} and RowKey ge ${from} and RowKey lt ${to}`;
  for await (const entity of queryEntities(gates, filter)) missed += fromGateEntity(entity).row.missedWakes;
  return missed;
}
