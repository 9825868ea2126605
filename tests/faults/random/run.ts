/**
 * One random run: a batch with a client that records everything, from its upload to the comparison of the whole output.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type BatchRow, isFinished } from '../../../shared/batches/batch-row.ts';
import { brokenLaw, type LedgerView, readLedger } from '../harness/ledger-view.ts';
import { type Truth, truthOf } from '../harness/truth.ts';
import { type Verdict, verify } from '../harness/verify.ts';
import { countCalls, takeCalls, wrongCalls } from './checks/calls.ts';
import type { RateVerdict } from './checks/rates.ts';
import type { RunEnd } from './checks/score.ts';
import { createOperator } from './operator.ts';
import { planOf } from './plan.ts';
import type { FaultStack } from './stack.ts';
import type { ActiveRun, Traffic } from './traffic.ts';

export interface RunOptions {
  seed: number;
  /** Workload that no concurrent run uses. */
  slot: string;
  items: number;
  quick: boolean;
  /** Checks the start times of the slot's calls. */
  checkRate: (atMs: readonly number[]) => RateVerdict;
}

const OBSERVE_MS = 1_100;
/** Maximum number of reported observations of the same problem. */
const MAX_REPORTED = 3;
/**
 * A batch that is not finished by then is stuck: ten minutes of silence before a drain counts as dead, plus the normal
 * time.
 */
const STUCK_MS = 17 * 60_000;
const QUICK_STUCK_MS = 5 * 60_000;

/** Executes a run. Rejects only for errors of the harness. */
export async function carryOut(stack: FaultStack, traffic: Traffic, options: RunOptions): Promise<RunEnd> {
  const { seed, slot, items, quick, checkRate } = options;
  const plan = planOf(seed, { items, quick });
  const truth = truthOf(items, plan.behaviours);
  const run: ActiveRun = { slot, key: `run-${seed}`, plan, calls: 0, wakes: 0, faultedAt: 0 };
  traffic.begin(run);
  const patienceMs = quick ? QUICK_STUCK_MS : STUCK_MS;
  const wrong: string[] = [];
  try {
    const ids = await submit(stack, run, truth, patienceMs);
    if (new Set(ids).size > 1) wrong.push(`one key, ${ids.length} batches: ${ids.join(', ')}`);
    const [id = ''] = ids;
    const accepted = Date.now();
    const operator = createOperator(stack.api, run, id);
    const ledger = await watch(stack, id, { wrong, until: accepted + patienceMs, look: operator.look });
    const { isCancelled, paused, wrong: wrongCommands } = await operator.done();
    const ended = Date.now();
    const times = {
      seconds: (ended - accepted) / 1000,
      recoverySeconds: run.faultedAt === 0 ? 0 : Math.max(0, ended - run.faultedAt) / 1000,
    };
    const stuck = !ledger || !isFinished(ledger.batch.state);
    const verdict = ledger && !stuck ? await verify(truth, ledger, stack.api, { isCancelled }) : nothing(ledger);
    // Calls are read first, so that deliveries in the meantime cannot be missing.
    const calls = await takeCalls(stack.callsFolder, id, items);
    const rate = checkRate(calls.atMs);
    const { halted, wrong: wrongHalts } = traffic.halts.of(id);
    wrong.push(...rate.wrong, ...wrongHalts, ...wrongCommands);
    const delivered = traffic.deliveries.of(id);
    if (!stuck)
      wrong.push(...wrongCalls(truth, calls, { delivered, isCancelled: ledger?.batch.state === 'cancelled' }));
    const counts = { ...countsOf(ledger), handler: countCalls(truth, calls, delivered) };
    const pauses = { paused, resumed: ledger?.batch.resumes ?? 0, halted };
    const base = { seed, id, stuck, acknowledged: items, ...times, ...counts, ...pauses, rateShare: rate.share };
    return { ...base, ...verdict, wrong: [...wrong, ...verdict.wrong] };
  } finally {
    traffic.end(run);
  }
}

const countsOf = (ledger: LedgerView | undefined): Pick<RunEnd, 'counts' | 'duplicatesSeen' | 'cancelled'> => {
  const { succeeded = 0, dead = 0, duplicatesSeen = 0, state } = ledger?.batch ?? {};
  return { counts: { succeeded, dead }, duplicatesSeen, cancelled: state === 'cancelled' };
};

const nothing = (ledger: LedgerView | undefined): Verdict => ({
  lost: [],
  doubled: [],
  wrong: [`not at its end: ${JSON.stringify(ledger?.batch ?? null)}`],
});

async function submit(stack: FaultStack, run: ActiveRun, truth: Truth, patienceMs: number): Promise<string[]> {
  const tries = { untilMs: Date.now() + patienceMs };
  const once = (): Promise<string> => stack.api.submit(run.slot, run.key, truth.body, tries);
  return Promise.all(run.plan.submitsTwice ? [once(), once()] : [once()]);
}

/** Polls the rows until the end is announced, or the time is over. A failed read is repeated later. */
async function watch(
  stack: FaultStack,
  id: string,
  { wrong, until, look }: { wrong: string[]; until: number; look: (batch: BatchRow) => void },
): Promise<LedgerView | undefined> {
  let last: LedgerView | undefined;
  let suspect: string | undefined;
  while (Date.now() < until) {
    const ledger = await readLedger(stack.batches, id).catch(() => undefined);
    last = ledger ?? last;
    if (ledger) look(ledger.batch);
    const broken = ledger && brokenLaw(ledger);
    // Azurite answers a query during a transaction, so the law counts as broken only if nothing has changed since.
    if (broken && ledger.etag === suspect && wrong.length < MAX_REPORTED) wrong.push(broken);
    suspect = broken ? ledger.etag : undefined;
    if (ledger && isFinished(ledger.batch.state) && ledger.batch.announced && !broken) return ledger;
    await sleep(OBSERVE_MS);
  }
  return last;
}
