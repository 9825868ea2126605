/** The operator of a run's batch: pauses, resumes and cancels as planned, and resumes a halted batch. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchRow } from '../../../shared/batches/batch-row.ts';
import type { Api } from '../harness/api.ts';
import type { PlannedPause } from './plan.ts';
import type { ActiveRun } from './traffic.ts';

export interface OperatorEnd {
  /** Whether a cancel was requested. */
  isCancelled: boolean;
  /** Pauses that were requested and succeeded. */
  paused: number;
  /** Commands that failed finally. */
  wrong: string[];
}

export interface Operator {
  /** Receives the row at each poll: a batch that is paused, but not by the plan, is resumed. */
  look(batch: BatchRow): void;
  /** Starts no more commands, and resolves when all have responses. */
  done(): Promise<OperatorEnd>;
}

type Commands = Pick<Api, 'pause' | 'resume' | 'cancel'>;

const POLL_MS = 20;

/** Starts to execute the plan of a run on its batch. */
export function createOperator(api: Commands, run: ActiveRun, id: string): Operator {
  const { cancelsAt = Number.POSITIVE_INFINITY, pauses } = run.plan;
  const end: OperatorEnd = { isCancelled: false, paused: 0, wrong: [] };
  let isOver = false;
  let isPausing = false;
  let resuming: Promise<unknown> | undefined;

  const reaches = async (call: number): Promise<boolean> => {
    while (!isOver && run.calls < call) await sleep(POLL_MS);
    return run.calls >= call;
  };
  const cancel = async (): Promise<void> => {
    end.isCancelled = true;
    await api.cancel(id);
  };
  const endPause = async ({ end: how, resumesAfterMs, fault }: PlannedPause): Promise<void> => {
    await sleep(resumesAfterMs);
    run.next = fault && { ...fault, at: run.calls + fault.at };
    if (how === 'cancelled') await cancel();
    else await api.resume(id, { once: how === 'resumedOnce' });
  };
  const pause = async (): Promise<void> => {
    for (const planned of pauses) {
      if (!(await reaches(planned.at))) return;
      isPausing = true;
      if (await api.pause(id)) {
        end.paused += 1;
        await endPause(planned);
        run.faultedAt = Date.now();
      }
      isPausing = false;
    }
  };
  const cancelInTime = async (): Promise<void> => {
    if (await reaches(cancelsAt)) await cancel();
  };
  const noted = (work: Promise<unknown>): Promise<unknown> =>
    work.catch((error: unknown) => end.wrong.push(String(error)));
  const working = Promise.all([noted(pause()), noted(cancelInTime())]);
  return {
    look: ({ state }) => {
      if (state !== 'paused' || isPausing) return;
      run.faultedAt = Date.now();
      resuming ??= noted(api.resume(id)).finally(() => {
        resuming = undefined;
      });
    },
    done: async () => {
      isOver = true;
      await working;
      await resuming;
      return end;
    },
  };
}
