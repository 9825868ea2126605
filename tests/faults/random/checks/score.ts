/** The results of the runs so far, and their report. */
import type { Verdict } from '../../harness/verify.ts';
import type { CallCounts } from './calls.ts';

/** The result of one run. */
export interface RunEnd extends Verdict {
  seed: number;
  /** Its batch, and the final counts of the batch's row. */
  id: string;
  counts: { succeeded: number; dead: number };
  /** Not finished in time. */
  stuck: boolean;
  acknowledged: number;
  /** From acceptance to the announced end. */
  seconds: number;
  /** From the last fault of the run to its end; 0 if it had none. */
  recoverySeconds: number;
  duplicatesSeen: number;
  /** Ended as cancelled. */
  cancelled: boolean;
  /** Pauses requested by an operator, changes from paused back, and times that the workload's rule paused the batch. */
  paused: number;
  resumed: number;
  halted: number;
  /** In the busiest window of its slot, as a share of the slot's rate; 0 without a limit. */
  rateShare: number;
  handler: CallCounts;
}

export interface Score {
  /** Records an injected fault. */
  fault(kind: string): void;
  /** Returns how many faults of a kind were injected. */
  faultsOf(kind: string): number;
  /** Records wakes that a sweep found missing. */
  missed(wakes: number): void;
  end(run: RunEnd): void;
  /** Records a problem that belongs to no single run. */
  problem(text: string): void;
  readonly runs: number;
  /** Whether nothing is lost, doubled, wrong or stuck. */
  readonly isClean: boolean;
  table(): string;
}

/** Creates an empty score; `onProblem` is called immediately for a problem that belongs to no single run. */
export function createScore(onProblem: (text: string) => void = () => {}): Score {
  const faults = new Map<string, number>();
  const ends: RunEnd[] = [];
  const problems: string[] = [];
  let missedWakes = 0;
  const sum = (pick: (run: RunEnd) => number): number => ends.reduce((total, run) => total + pick(run), 0);
  const longest = (pick: (run: RunEnd) => number): number => Math.max(0, ...ends.map(pick));
  const bad = (): RunEnd[] =>
    ends.filter((run) => run.stuck || run.lost.length + run.doubled.length + run.wrong.length > 0);
  return {
    fault: (kind) => void faults.set(kind, (faults.get(kind) ?? 0) + 1),
    faultsOf: (kind) => faults.get(kind) ?? 0,
    missed: (wakes) => {
      missedWakes += wakes;
    },
    end: (run) => void ends.push(run),
    problem: (text) => {
      problems.push(text);
      onProblem(text);
    },
    get runs() {
      return ends.length;
    },
    get isClean() {
      return bad().length === 0 && problems.length === 0;
    },
    table: () =>
      [
        row('runs', ends.length),
        row('  cancelled', ends.filter(({ cancelled }) => cancelled).length),
        ...pauseRows(ends),
        row(
          'items acknowledged',
          sum(({ acknowledged }) => acknowledged),
        ),
        row(
          'faults injected',
          [...faults.values()].reduce((a, b) => a + b, 0),
        ),
        ...[...faults].sort(([a], [b]) => a.localeCompare(b)).map(([kind, n]) => row(`  ${kind}`, n)),
        row(
          'lost',
          sum(({ lost }) => lost.length),
        ),
        row(
          'doubled',
          sum(({ doubled }) => doubled.length),
        ),
        row(
          'stuck',
          sum(({ stuck }) => Number(stuck)),
        ),
        row('otherwise wrong', sum(({ wrong }) => wrong.length) + problems.length),
        row(
          'duplicates seen',
          sum(({ duplicatesSeen }) => duplicatesSeen),
        ),
        row('missed wakes found', missedWakes),
        ...callRows(ends),
        row('worst rate window', `${longest(({ rateShare }) => rateShare).toFixed(3)} of the rate`),
        row('longest run', `${longest(({ seconds }) => seconds).toFixed(1)} s`),
        row('longest recovery', `${longest(({ recoverySeconds }) => recoverySeconds).toFixed(1)} s`),
        ...bad().map((run) => `seed ${run.seed}: ${describe(run)}`),
        ...problems,
      ].join('\n'),
  };
}

const row = (name: string, value: number | string): string => `${name.padEnd(30)}${String(value).padStart(14)}`;

const pauseRows = (ends: readonly RunEnd[]): string[] =>
  (['paused', 'resumed', 'halted'] as const).map((field) =>
    row(
      `  ${field}`,
      ends.reduce((total, end) => total + end[field], 0),
    ),
  );

function callRows(ends: readonly RunEnd[]): string[] {
  const sum = (field: keyof CallCounts, of = ends): number =>
    of.reduce((total, { handler }) => total + handler[field], 0);
  const unhurt = ends.filter(({ recoverySeconds }) => recoverySeconds === 0);
  return [
    row('handler calls', sum('calls')),
    row('  per item, mean', (sum('calls') / Math.max(1, sum('items'))).toFixed(4)),
    row('  per item, most', Math.max(0, ...ends.map(({ handler }) => handler.most))),
    row('  beyond one per attempt', sum('repeated')),
    row('    of runs without a fault', sum('repeated', unhurt)),
    row('  items redelivered', sum('redelivered')),
  ];
}

const describe = ({ lost, doubled, wrong, stuck }: RunEnd): string =>
  JSON.stringify({ stuck, lost: lost.slice(0, 10), doubled: doubled.slice(0, 10), wrong });
