/** The shared parts of a sweep: its dependencies, its state, and the record of repairs. */
import type { QueueClient } from '@azure/storage-queue';
import type { DeleteDeps } from '../commands/delete.ts';
import { Problem, toError } from '../errors.ts';
import type { GateDeps } from '../gate/gate.ts';
import type { Queue } from '../queues/messages.ts';
import type { Services } from '../queues/services.ts';
import { log } from '../telemetry/log.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** How long a step may take before it counts as forgotten, since its process may be alive; milliseconds. */
export interface Patience {
  /** From the opening of a revision to its last reference, and from its announcement to its closing. */
  enqueueingMs: number;
  /** From a message to its drain, and from the last change of a batch to its end. */
  wakeMs: number;
  /** Without any progress of a batch. */
  stallMs: number;
  /** Time to the next sweep, by its default schedule: until then a batch without running chunks is not read. */
  nextMs: number;
  /** From an `open` row to the batch row that must follow, and from a payload to the row that contains its name. */
  orphanMs: number;
}

export const DEFAULT_PATIENCE: Patience = {
  enqueueingMs: 2 * MINUTE,
  wakeMs: MINUTE,
  stallMs: HOUR,
  nextMs: 15 * MINUTE,
  orphanMs: 24 * HOUR,
};

export interface SweepDeps extends DeleteDeps, Pick<Services, 'depthOf'> {
  gate: GateDeps;
  queues: (name: string) => Queue & Pick<QueueClient, 'peekMessages'>;
  /** Purges finished drains created between two times. Returns how many. */
  purgeDrains: (from: Date, to: Date) => Promise<number>;
  /** The pool whose batches and queues are swept; undefined for all pools. */
  pool: string | undefined;
  patience?: Partial<Patience>;
}

export interface SweepRun extends SweepDeps {
  counts: SweepCounts;
  /** Queues whose wake could not be published: the sweep wakes them itself. */
  unpublishedWakes: Set<string>;
  /** Service time after which nothing new is started. */
  endMs: number;
  patient: Patience;
}

export const isOver = ({ gate, endMs }: SweepRun): boolean => gate.now() >= endMs;

/** Whether `sinceMs` is longer ago than the given patience. */
export const isOverdue = (run: SweepRun, sinceMs: number, patience: keyof Patience): boolean =>
  run.gate.now() - sinceMs > run.patient[patience];

/** Records a repair: logs it under its event name, and counts it in the response. */
export function repaired(
  run: SweepRun,
  action: SweepAction,
  details: { event: string; n?: number } & Record<string, unknown>,
): void {
  const { event, n = 1, ...fields } = details;
  if (n === 0) return;
  run.counts[action] += n;
  log.warn(event, { ...fields, ...(n === 1 ? {} : { n }) });
}

/** Runs one part of a sweep. An error in it is logged and counted, and does not stop the other parts. */
export async function guarded<T>(
  run: SweepRun,
  fields: Record<string, unknown>,
  part: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await part();
  } catch (thrown) {
    const error = toError(thrown);
    // If the batch changed its state in the meantime, that is no error.
    if (error instanceof Problem) log.info('sweep-declined', { ...fields, error });
    else log.error('sweep-failed', { ...fields, error });
    run.counts.failed += error instanceof Problem ? 0 : 1;
    return undefined;
  }
}

/** The actions of a sweep: its response counts each of them, and all counts of an idle sweep are zero. */
export const SWEEP_ACTIONS = [
  'continued',
  'announced',
  'finalized',
  'cancelled',
  'resent',
  'deleted',
  'closed',
  'missedWakes',
  'wokenByTimer',
  'restarted',
  'takenOver',
  'startFailed',
  'expiredBatches',
  'expiredKeys',
  'expiredActions',
  'purgedDrains',
  'orphanPayloads',
  'failed',
] as const;
export type SweepAction = (typeof SWEEP_ACTIONS)[number];

/** `open` is the number of revisions that were checked. */
export type SweepCounts = Record<SweepAction | 'open', number>;

/** Counts of a sweep that found and did nothing. */
export const noCounts = (): SweepCounts => ({
  open: 0,
  ...(Object.fromEntries(SWEEP_ACTIONS.map((action) => [action, 0])) as Record<SweepAction, number>),
});
