/** Starts the units of a chunk (items or groups) while the chunk continues and the limits of its workload allow it. */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { stopOf } from '../thread-status.ts';
import type { Admission, AdmittedCall } from './admission.ts';
import type { ChunkRun, Unit } from './chunk-run.ts';
import { isGroup, isPutOff, startGroup, startItem } from './start-unit.ts';

/** Maximum time for which units that wait for nothing block the calls in flight. */
const TURN_MS = 20;

/** Interval at which a unit that was not admitted asks again. It also asks again when a unit in flight ends. */
const ASK_AGAIN_MS = 5;

/**
 * Starts the units in order, at most `limit` at a time, and waits for all. A unit starts only if the chunk was not stopped,
 * at the time for which it was admitted: an item that became due after it would have no permit. Items that have ended are
 * copied when a copy is due. After all units have ended, rejects with the first rejection.
 */
export async function runUnits(run: ChunkRun, units: Iterable<Unit>, limit: number): Promise<void> {
  const { admission, copier, tools } = run;
  const { statusBuffer } = run.task;
  const faults: unknown[] = [];
  let inFlight = 0;
  let wake: (() => void) | undefined;
  let turnMs = 0;
  const oneEnds = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });
  for (const unit of units) {
    run.startMs = tools.nowMs();
    let call = admission && admit(run, unit, admission);
    while (call === 'waits') {
      await Promise.race([oneEnds(), sleep(ASK_AGAIN_MS)]);
      run.startMs = tools.nowMs();
      call = admission && admit(run, unit, admission);
    }
    const admitted = typeof call === 'object' ? call : undefined;
    const mayStart = call !== 'left' && stopOf(statusBuffer) === undefined;
    let pending: Promise<void> | undefined;
    if (mayStart) pending = isGroup(unit) ? startGroup(run, unit, admitted) : startItem(run, unit, admitted);
    if (mayStart) copier.check(run.startMs);
    if (pending === undefined) admitted?.end();
    else {
      if (inFlight === 0) turnMs = performance.now();
      inFlight += 1;
      void pending
        .catch((error: unknown) => faults.push(error))
        .then(() => {
          admitted?.end();
          inFlight -= 1;
          wake?.();
        });
      while (inFlight >= limit) await oneEnds();
    }
    // Also if all units return promises: those that wait for nothing end without a turn of the event loop.
    if (inFlight > 0 && performance.now() - turnMs > TURN_MS) {
      await nextTurn();
      turnMs = performance.now();
    }
  }
  while (inFlight > 0) await oneEnds();
  if (faults.length > 0) throw faults[0];
}

/** Asks for a unit at `run.startMs`. `idle`: no item needs a call. `left`: the chunk's time is over. */
function admit(run: ChunkRun, unit: Unit, admission: Admission): AdmittedCall | 'idle' | 'waits' | 'left' {
  const sources = isGroup(unit) ? unit : [unit];
  const items = sources.filter((source) => !run.builder.hasEnded(source) && !isPutOff(run, source)).length;
  if (items === 0) return 'idle';
  const admitted = admission.admit(items);
  if (admitted !== undefined) return admitted;
  const isOver = stopOf(run.task.statusBuffer) !== undefined || run.startMs >= run.untilMs || admission.isStarved;
  return isOver ? 'left' : 'waits';
}
