/**
 * The sweep: the rare timer that makes up for whatever was lost. It goes by the open batches, one query when there are
 * none; everything it does may be done twice, and beside whoever it takes for dead.
 */
import type { BatchRow } from '../batches/batch-row.ts';
import { type OpenBatch, readOpen } from '../batches/listing/open-rows.ts';
import { toError } from '../errors.ts';
import { inParallel } from '../parallel.ts';
import { log } from '../telemetry/log.ts';
import { withWakeFallback } from '../wake/events/publish.ts';
import type { DrainStatus } from '../wake/gate/gate.ts';
import type { QueueAddress, Registry } from '../workload/registry.ts';
import { choresNote, doChores } from './chores.ts';
import { noCounts, type SweepCounts } from './counts.ts';
import { repairBatch } from './repair-batch.ts';
import { repairQueue } from './repair-queue.ts';
import { DEFAULT_PATIENCE, guarded, isOver, type SweepDeps, type SweepRun } from './run.ts';

const BATCHES_AT_ONCE = 4;
/** A durable runtime that is silent keeps a queue waiting for over a minute, and the others must not wait behind it. */
const QUEUES_AT_ONCE = 8;
/** Nothing new is begun after this long: a timer function ends within ten minutes. */
const BUDGET_MS = 4 * 60_000;

/** Sweeps once, for at most `budgetMs` and what was begun in it. Gives what it did. */
export async function sweep(deps: SweepDeps, budgetMs = BUDGET_MS): Promise<SweepCounts> {
  const run = begin(deps, budgetMs);
  const { batches, notes } = await readOpen(deps.table);
  const own = batches.filter((batch) => isOwn(deps, batch));
  run.counts.open = own.length;
  warnOfUnknown(deps, own);
  const busy = await inParallel(own, BATCHES_AT_ONCE, (open) => lookAfter(run, open));
  await inParallel(queuesOf(deps.registry, busy), QUEUES_AT_ONCE, (address) =>
    guarded(run, { queue: address.queue }, () => repairQueue(run, address)),
  );
  await guarded(run, {}, () => doChores(run, notes.get(choresNote(deps.pool))));
  log.info('swept', { ...run.counts });
  return run.counts;
}

function begin(deps: SweepDeps, budgetMs: number): SweepRun {
  const unheard = new Set<string>();
  const { gate } = deps;
  return {
    ...deps,
    counts: noCounts(),
    unheard,
    // A wake that cannot be published is not lost: the queues come after the batches.
    publish: withWakeFallback(deps.publish, ({ queue }) => void unheard.add(queue)),
    gate: { ...gate, status: (instanceId) => statusOrUnknown(gate.status, instanceId) },
    endMs: gate.now() + budgetMs,
    patient: { ...DEFAULT_PATIENCE, ...deps.patience },
  };
}

/**
 * A runtime that cannot be asked has said neither that a drain is over nor that it is under way: only its silence counts
 * then, and one that never sent a heartbeat is started again.
 */
async function statusOrUnknown(
  status: (instanceId: string) => Promise<DrainStatus>,
  instanceId: string,
): Promise<DrainStatus> {
  try {
    return await status(instanceId);
  } catch (error) {
    log.warn('drain-not-asked', { instanceId, error: toError(error) });
    return 'Suspended';
  }
}

/**
 * Each app sweeps for its own pool: a drain started here would run in this app's task hub. A workload that is not deployed
 * has no pool, so that each app looks at its batches.
 */
function isOwn({ pool, registry }: SweepDeps, { workload: name }: OpenBatch): boolean {
  const workload = registry.workload(name);
  return pool === undefined || workload === undefined || workload.pool === pool;
}

/** Such batches wait for a deployment that has their workload, and nothing else of the app names them. */
function warnOfUnknown({ registry }: SweepDeps, open: readonly OpenBatch[]): void {
  const unknown = open.filter(({ workload }) => !registry.workload(workload));
  for (const [workload, { length: batches }] of Map.groupBy(unknown, ({ workload }) => workload))
    log.warn('workload-not-deployed', { workload, batches });
}

/** Whose queues may hold work; without a lane, all of the workload's. */
type Busy = Pick<BatchRow, 'workload'> & Partial<Pick<BatchRow, 'lane'>>;

/** A batch whose repair fails has queues anyway. */
async function lookAfter(run: SweepRun, open: OpenBatch): Promise<Busy | undefined> {
  let busy: Busy | undefined = { workload: open.workload };
  if (isOver(run)) return busy;
  await guarded(run, { batch: open.id }, async () => {
    // On its own: a batch is charged for its own repair.
    busy = (await run.meter.measure(() => repairBatch(run, open))).value;
  });
  return busy;
}

function queuesOf(registry: Registry, busy: readonly (Busy | undefined)[]): QueueAddress[] {
  const lanes = new Set(busy.map((one) => one && `${one.workload} ${one.lane ?? ''}`));
  const names = new Set(busy.map((one) => one?.workload));
  return registry
    .queues()
    .filter(({ workload: { name }, lane, kind }) =>
      kind === 'results' ? names.has(name) : lanes.has(`${name} ${lane}`) || lanes.has(`${name} `),
    );
}
