/** Compares the output of a batch with the promises to the client. */
import { isDeepStrictEqual } from 'node:util';
import type { DeadItem } from '../../../shared/contract/outcome.ts';
import type { FaultItem, FaultResult, FaultTotal } from '../app/items.ts';
import type { Api } from './api.ts';
import type { LedgerView } from './ledger-view.ts';
import { type DeadTruth, type Truth, totalsOf } from './truth.ts';

/** The errors of a finished batch; all empty for a good one. */
export interface Verdict {
  /** Positions that are neither in the results nor among the dead letters. */
  lost: number[];
  /** Positions that came out more than once. */
  doubled: number[];
  /** All other violations. */
  wrong: string[];
}

/**
 * Reads results, dead letters and report of a finished batch, and compares them with the truth. In a cancelled batch
 * (`isCancelled`), as many items may be missing as its row counts as cancelled.
 */
export async function verify(
  truth: Truth,
  ledger: LedgerView,
  api: Pick<Api, 'results' | 'report' | 'deadLetters'>,
  { isCancelled = false } = {},
): Promise<Verdict> {
  const { id, state, cancelled } = ledger.batch;
  const [results, dead, report] = await Promise.all([
    api.results(id) as Promise<FaultResult[]>,
    api.deadLetters(id) as Promise<DeadItem[]>,
    api.report(id) as Promise<{ key: string; value: FaultTotal }[]>,
  ]);
  const times = new Uint8Array(truth.accepted);
  const wrong = [...wrongResults(truth, results, times), ...wrongDead(truth, dead, times)];
  const missing = positionsWith(times, (n) => n === 0);
  const doubled = positionsWith(times, (n) => n > 1);
  const endedEarly = isCancelled && state === 'cancelled';
  const lost = endedEarly && missing.length === cancelled ? [] : missing;
  const expected = endedEarly ? cancelledTruth(truth, missing) : truth;
  return {
    lost,
    doubled,
    wrong: [...wrong, ...wrongTotals(expected, report), ...wrongCounts(expected, ledger, endedEarly)].slice(0, 20),
  };
}

/** The required output if the items at these positions were cancelled. */
function cancelledTruth(truth: Truth, missing: readonly number[]): Truth {
  const gone = new Set(missing);
  const succeeded = new Map([...truth.succeeded].filter(([position]) => !gone.has(position)));
  const dead = new Map([...truth.dead].filter(([position]) => !gone.has(position)));
  return { ...truth, succeeded, dead, totals: totalsOf(succeeded.values()) };
}

/** Whether nothing is wrong. */
export const isGood = ({ lost, doubled, wrong }: Verdict): boolean => lost.length + doubled.length + wrong.length === 0;

function wrongResults(truth: Truth, results: FaultResult[], times: Uint8Array): string[] {
  const wrong: string[] = [];
  for (const { n, position, k, v, t } of results) {
    times[position] = (times[position] ?? 0) + 1;
    const item = truth.succeeded.get(position);
    if (!item || item.n !== n || item.k !== k || item.v !== v || item.t?.toWellFormed() !== t)
      wrong.push(`result ${JSON.stringify({ n, position, k, v, t })}`);
  }
  return wrong;
}

function wrongDead(truth: Truth, dead: DeadItem[], times: Uint8Array): string[] {
  const wrong: string[] = [];
  for (const { index, reason, error, item } of dead) {
    times[index] = (times[index] ?? 0) + 1;
    const expected = truth.dead.get(index);
    if (expected?.reason !== reason) wrong.push(`dead letter ${index}: ${reason}`);
    else if (!isText(expected, error.message, item as FaultItem | undefined))
      wrong.push(`dead letter ${index}: ${JSON.stringify({ error, item }).slice(0, 300)}`);
  }
  return wrong;
}

/** A message may be cut beyond this number of characters. */
const UNCUT_CHARS = 1_000;

/** The error of an item that is invalid or has ended its thread does not come from the handler. */
const isText = ({ reason, text }: DeadTruth, message: string, item: FaultItem | undefined): boolean =>
  item?.t === text &&
  (reason === 'invalid' || reason === 'killed' || message.includes(text?.slice(0, UNCUT_CHARS) ?? ''));

const positionsWith = (times: Uint8Array, is: (n: number) => boolean): number[] =>
  [...times.entries()].filter(([, n]) => is(n)).map(([position]) => position);

function wrongTotals(truth: Truth, report: { key: string; value: FaultTotal }[]): string[] {
  const found = new Map(report.map(({ key, value }) => [key, value]));
  if (found.size === report.length && isDeepStrictEqual(found, truth.totals)) return [];
  return [`report ${JSON.stringify(report).slice(0, 500)}`];
}

/** Whether none of the first thousand items fits the schema. */
const isSuspect = ({ accepted, dead }: Truth): boolean =>
  Array.from({ length: Math.min(1_000, accepted) }, (_, n) => dead.get(n)?.reason).every(
    (reason) => reason === 'invalid',
  );

function wrongCounts(truth: Truth, { batch }: LedgerView, endedEarly: boolean): string[] {
  const { accepted, succeeded, dead } = truth;
  const ended = dead.size > 0 ? 'completedWithDeadLetters' : 'completed';
  const completed = isSuspect(truth) ? 'suspect' : ended;
  const cancelled = accepted - succeeded.size - dead.size;
  const state = endedEarly ? 'cancelled' : completed;
  const expected = { state, accepted, succeeded: succeeded.size, dead: dead.size, cancelled };
  const found = {
    state: batch.state,
    accepted: batch.accepted,
    succeeded: batch.succeeded,
    dead: batch.dead,
    cancelled: batch.cancelled,
  };
  return isDeepStrictEqual(found, expected) ? [] : [`counts ${JSON.stringify(found)}`];
}
