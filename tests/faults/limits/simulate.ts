/** Simulates many processes with one quota row, in virtual time. */
import { createRandom } from 'functions-local';
import type { Table } from '../../../shared/storage/table.ts';
import type { Workload } from '../../../shared/workload/define.ts';
import type { TimedCall } from '../../helpers/servers/rates.ts';
import { type Rows, tableEffect, tableOf } from '../explorer/table-stub.ts';
import { planDrain } from './drain.ts';
import { type ProcessPlan, planProcess, virtualIntervals, type World } from './process.ts';
import { createVirtualTime, type Owner, type VirtualTime } from './virtual-time.ts';

export interface Simulation {
  seed: number;
  workload: Workload;
  seconds: number;
  processes: readonly ProcessPlan[];
  /** Queues that always have work, and the maximum tasks per wave. */
  queues: readonly { name: string; tasks: number }[];
  /** Part of the table calls whose answer is lost, half of them after their effect. */
  lostShare: number;
  /** Wraps the dependencies of a process: a rule removed. */
  bend?: (table: Table) => Table;
}

export interface Simulated {
  calls: TimedCall[];
  /** Table calls. */
  operations: number;
}

const TABLE_MS = { least: 3, most: 60 };
/** One in this number of calls takes long. */
const SLOW_SHARE = 0.01;
const SLOW_MS = 3_000;
/** After a lost answer, the SDK repeats the call, or fails. */
const GIVEN_UP_MS = 1_000;
/**
 * Thresholds of a random number below 1: lost before its effect; from here on, after it and repeated; from here on,
 * after it and failed.
 */
const [BEFORE, AFTER, GIVEN_UP] = [0, 0.5, 0.75];

/** Runs the simulation. `setInterval` must be replaced by what `intervals` is called with. */
export async function simulate(
  { seed, workload, seconds, processes, queues, lostShare, bend = (table) => table }: Simulation,
  intervals: (virtual: ReturnType<typeof virtualIntervals>) => void,
): Promise<Simulated> {
  const time = createVirtualTime();
  const random = createRandom(seed);
  intervals(virtualIntervals(time));
  const calls: TimedCall[] = [];
  let operations = 0;
  let rows: Rows = {};
  const call = (name: string, args: unknown[]): (() => unknown) => {
    operations += 1;
    const effect = tableEffect(rows, name, args);
    if (!effect) throw new Error(`The table knows no "${name}".`);
    rows = effect.rows;
    const { answer } = effect;
    if (!('status' in answer)) return () => structuredClone(answer.value);
    return () => {
      throw Object.assign(new Error(`status ${answer.status}`), { statusCode: answer.status });
    };
  };
  const isCutOff = ({ cutOff }: ProcessPlan): boolean =>
    cutOff !== undefined && time.nowMs >= cutOff.atMs && time.nowMs < cutOff.atMs + cutOff.forMs;
  const tableFor = (owner: Owner, plan: ProcessPlan): Table => {
    const ask = (name: string, ...args: unknown[]): Promise<unknown> => {
      const given = structuredClone(args);
      const lost = isCutOff(plan) ? BEFORE : random() < lostShare ? random() : undefined;
      return viaNetwork({ time, random, lost, owner }, () => call(name, given));
    };
    return bend(tableOf({ ask }));
  };
  const world: World = { time, random, workload, calls, tableOf: tableFor };
  const planned = processes.map((plan) => planProcess(world, plan));
  for (const queue of queues) planDrain(world, planned, queue.name, queue.tasks);
  await time.run(seconds * 1_000);
  return { calls, operations };
}

interface Network {
  time: VirtualTime;
  random: () => number;
  /** How the answer is lost; undefined if it is not. */
  lost: number | undefined;
  owner: Owner;
}

/** The call has its effect half-way, even if its process is frozen or dead by then. */
function viaNetwork({ time, random, lost, owner }: Network, call: () => () => unknown): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const wayMs = (): number =>
    (random() < SLOW_SHARE ? SLOW_MS * random() : TABLE_MS.least + random() * (TABLE_MS.most - TABLE_MS.least)) / 2;
  const answer = (give: () => unknown, afterMs: number): void => {
    const settle = (): void => {
      time.settled();
      try {
        resolve(give());
      } catch (error) {
        reject(error);
      }
    };
    time.after(afterMs, settle, owner);
  };
  const giveUp = (): never => {
    throw new Error('The connection was reset.');
  };
  time.after(wayMs(), () => {
    if (lost === undefined) return answer(call(), wayMs());
    if (lost < AFTER) return answer(giveUp, GIVEN_UP_MS);
    call();
    // Repeated after its effect: it encounters its own write.
    if (lost < GIVEN_UP) return answer(call(), wayMs() + GIVEN_UP_MS);
    answer(giveUp, GIVEN_UP_MS);
  });
  return promise;
}
