/** All calls of a small batch, and of its pause and resume, each failing in each way. */
import { buildAppCopy } from '../../helpers/app-copy.ts';
import { FAULT_APP } from '../harness/fault-app.ts';
import type { Cell } from './cell.ts';
import { startCells } from './cells.ts';
import { type CallFault, FAULT_MODES, type FaultMode } from './director.ts';
import { type CallRun, runWithFault } from './run.ts';

export interface EveryCallOptions {
  /** Folder below `.sluice/` for the app copy. */
  name: string;
  /** For data and logs. */
  folder: string;
  cells: number;
  modes?: readonly FaultMode[];
  /** Tries only every n-th call, each mode starting with a different one; defaults to 1. */
  stride?: number;
  /** Called with each run when it ends. */
  onRun?: (run: CallRun) => void;
}

/** Additional calls beyond those of a run without faults, because the number of calls varies between runs. */
const MARGIN = 8;

/** Prefixes of the workloads: a batch that one round collects, and one that result messages report. */
const KINDS = ['call', 'split'] as const;

interface Work extends Pick<CallRun, 'pauses'> {
  kind: (typeof KINDS)[number];
  fault: CallFault;
}

/**
 * Runs the small batch once for each call and mode, and once for each from a pause to its resume; in no particular
 * order.
 */
export async function runEveryCall(options: EveryCallOptions): Promise<CallRun[]> {
  const { name, folder, modes = FAULT_MODES, stride = 1, onRun = () => {} } = options;
  const appFolder = await buildAppCopy({ ...FAULT_APP, name });
  const { cells, stop } = await startCells(options.cells, appFolder, folder);
  try {
    // The first sweep of a day does more than the others.
    await Promise.all(cells.map((cell) => cell.api.sweep()));
    const works: Work[] = [];
    for (const kind of KINDS) {
      for (const pauses of [false, true]) {
        const calls = (await countCalls(cells, { kind, pauses })) + (pauses ? 0 : MARGIN);
        works.push(...plan(calls, modes, stride).map((fault): Work => ({ kind, fault, pauses })));
      }
    }
    const runs: CallRun[] = [];
    const work = async (cell: Cell): Promise<void> => {
      for (let next = works.shift(), n = 1; next; next = works.shift(), n += 1) {
        const { kind, fault, pauses } = next;
        const run = await runWithFault(cell, `${kind}${n % WORKLOADS}`, fault, { pauses });
        runs.push(run);
        onRun(run);
      }
    };
    await Promise.all(cells.map(work));
    return runs;
  } finally {
    await stop();
  }
}

/**
 * Returns the maximum number of calls of a batch without faults, or from its pause to its resume; also warms up every
 * cell.
 */
async function countCalls(cells: Cell[], { kind, pauses }: Omit<Work, 'fault'>): Promise<number> {
  const none = { k: 0, mode: 'before' } as const;
  const runs = await Promise.all(cells.map((cell) => runWithFault(cell, `${kind}0`, none, { pauses })));
  const bad = runs.find(({ problems }) => problems.length > 0);
  if (bad) throw new Error(`The batch does not even end without faults: ${bad.problems.join('; ')}`);
  return Math.max(...runs.map(({ calls, pauseCalls }) => (pauses ? pauseCalls : calls.length)));
}

/**
 * Each batch of a cell has separate queues while the registry has unused names. So the run also covers the creation of
 * queues, and finds no messages of other batches.
 */
const WORKLOADS = 250;

function plan(calls: number, modes: readonly FaultMode[], stride: number): CallFault[] {
  const faults: CallFault[] = [];
  for (const [index, mode] of modes.entries()) {
    for (let k = 1 + (index % stride); k <= calls; k += stride) faults.push({ k, mode });
  }
  return faults;
}
