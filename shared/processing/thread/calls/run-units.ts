/** Starts the units of a chunk (items or groups) while the chunk continues and the limits of its workload allow it. */
import type { Source } from '../../sources.ts';
import { stopOf } from '../thread-status.ts';
import type { Admission, AdmittedCall } from './admission.ts';
import type { ChunkRun } from './chunk-run.ts';
import { isPutOff } from './run-item.ts';
import { runUpTo } from './run-up-to.ts';

/** Units of one kind. */
export interface Units<T> {
  /** Maximum number of units in flight. */
  limit: number;
  units: Iterable<T>;
  sourcesOf: (unit: T) => readonly Source[];
  start: (unit: T, admitted?: AdmittedCall) => Promise<void> | undefined;
}

/** Runs all units. A unit starts only if the chunk was not stopped. Items that have ended are copied when a copy is due. */
export function runEach<T>(run: ChunkRun, { limit, units, sourcesOf, start }: Units<T>): Promise<void> {
  const begin = (unit: T, admitted?: AdmittedCall): Promise<void> | undefined => {
    if (stopOf(run.statusBuffer) !== undefined) return undefined;
    const pending = start(unit, admitted);
    run.copier.check(run.startMs);
    return pending;
  };
  const beginNow = (unit: T): Promise<void> | undefined => {
    run.startMs = run.nowMs();
    return begin(unit);
  };
  const { admission } = run;
  if (admission === undefined) return runUpTo(limit, units, beginNow);
  return runAdmitted(run, { limit, units, sourcesOf, start: begin }, admission);
}

/**
 * Starts units when the limits of the workload admit them. Units that are not admitted within the chunk's time are passed
 * on. A unit starts at the time for which it was admitted: an item that became due after it would have no permit.
 */
function runAdmitted<T>(
  run: ChunkRun,
  { limit, units, sourcesOf, start }: Units<T>,
  admission: Admission,
): Promise<void> {
  let admitted: AdmittedCall | undefined;
  let isLeft = false;
  const isAdmitted = (unit: T): boolean => {
    run.startMs = run.nowMs();
    const items = sourcesOf(unit).filter((source) => !run.builder.hasEnded(source) && !isPutOff(run, source)).length;
    admitted = items > 0 ? admission.admit(items) : undefined;
    const isOver = stopOf(run.statusBuffer) !== undefined || run.startMs >= run.untilMs || admission.isStarved;
    isLeft = items > 0 && admitted === undefined && isOver;
    return items === 0 || admitted !== undefined || isLeft;
  };
  const begin = (unit: T): Promise<void> | undefined => {
    const own = admitted;
    if (isLeft) return undefined;
    const pending = start(unit, own);
    if (pending !== undefined && own !== undefined) return pending.finally(() => own.end());
    own?.end();
    return pending;
  };
  return runUpTo(limit, units, begin, isAdmitted);
}
