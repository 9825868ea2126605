/**
 * The sweep: the rare timer that repairs what a crash left. It reads the open batches, with one query if there are
 * none. Everything it does may be done twice, and while the process that it considers dead is still running.
 */
import type { BatchRow } from '../batches/batch-row.ts';
import { type OpenBatch, readOpen } from '../batches/listing/open-rows.ts';
import { cleaningUp } from '../batches/remove-batch.ts';
import { forBatch } from '../cost/account.ts';
import { toError } from '../errors.ts';
import { withWakeFallback } from '../events/wake-fallback.ts';
import type { DrainStatus } from '../gate/heartbeat.ts';
import { inParallel } from '../parallel.ts';
import { log } from '../telemetry/log.ts';
import type { QueueAddress, Registry } from '../workload/registry.ts';
import { choresNote, doChores } from './chores.ts';
import { repairBatch } from './repair-batch.ts';
import { repairQueue } from './repair-queue.ts';
import {
  DEFAULT_PATIENCE,
  guarded,
  isOver,
  noCounts,
  type SweepCounts,
  type SweepDeps,
  type SweepRun,
} from './sweep-run.ts';

const BATCHES_AT_ONCE = 4;
/** A durable runtime that does not answer delays a queue by more than a minute, and the other queues must not wait for it. */
const QUEUES_AT_ONCE = 8;
/** Nothing new is started after this time: a timer function must end within ten minutes. */
const BUDGET_MS = 4 * 60_000;

/** Sweeps once, for at most `budgetMs` plus the work that was started in it. Returns what it did. */
export async function sweep(deps: SweepDeps, budgetMs = BUDGET_MS): Promise<SweepCounts> {
  const run = begin(deps, budgetMs);
  const { batches, notes } = await readOpen(deps.table);
  const ofThisApp = batches.filter((batch) => isOfThisApp(deps, batch));
  run.counts.open = ofThisApp.length;
  warnOfUnknown(deps, ofThisApp);
  const busy = await inParallel(ofThisApp, BATCHES_AT_ONCE, (open) => tryRepair(run, open));
  await inParallel(queuesOf(deps.registry, busy), QUEUES_AT_ONCE, (address) =>
    guarded(run, { queue: address.queue }, () => repairQueue(run, address)),
  );
  await guarded(run, {}, () => doChores(run, notes.get(choresNote(deps.pool))));
  log.info('swept', { ...run.counts });
  return run.counts;
}

function begin(deps: SweepDeps, budgetMs: number): SweepRun {
  const unpublishedWakes = new Set<string>();
  const { gate } = deps;
  return {
    ...deps,
    counts: noCounts(),
    unpublishedWakes,
    // A wake that cannot be published is not lost: the queues are repaired after the batches.
    publish: withWakeFallback(deps.publish, ({ queue }) => void unpublishedWakes.add(queue)),
    gate: { ...gate, status: (instanceId) => statusOrUnknown(gate.status, instanceId) },
    endMs: gate.now() + budgetMs,
    patient: { ...DEFAULT_PATIENCE, ...deps.patience },
  };
}

/**
 * Reads the status of a drain. If the runtime does not answer, the drain counts neither as ended nor as running. Then
 * only its heartbeat counts, and a drain without one is started again.
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
 * Each app sweeps its own pool: a drain started here would run in this app's task hub. A workload that is not deployed
 * has no pool, so each app checks its batches.
 */
function isOfThisApp({ pool, registry }: SweepDeps, { workload: name }: OpenBatch): boolean {
  const workload = registry.workload(name);
  return pool === undefined || workload === undefined || workload.pool === pool;
}

/**
 * Logs batches whose workload is not deployed. They wait for a deployment that has it. Otherwise, only
 * their drain logs it, once, and the overview shows them when they are late.
 */
function warnOfUnknown({ registry }: SweepDeps, open: readonly OpenBatch[]): void {
  const unknown = open.filter(({ workload }) => !registry.workload(workload));
  for (const [workload, { length: batches }] of Map.groupBy(unknown, ({ workload }) => workload))
    log.warn('workload-not-deployed', { workload, batches });
}

/** A workload and lane whose queues may hold work; without a lane, all queues of the workload. */
type Busy = Pick<BatchRow, 'workload'> & Partial<Pick<BatchRow, 'lane'>>;

/** Repairs a batch, and returns its queues, also if the repair fails. */
async function tryRepair(run: SweepRun, open: OpenBatch): Promise<Busy | undefined> {
  let busy: Busy | undefined = { workload: open.workload };
  if (isOver(run)) return busy;
  await guarded(run, { batch: open.id }, async () => {
    busy = await forBatch(open.id, () => cleaningUp(run, open, () => repairBatch(run, open)));
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
