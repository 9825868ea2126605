/** The contenders compared: the same upload, the same handler, in turn. */
import { availableParallelism } from 'node:os';
import { formatCount } from '../../cli/text/format.ts';
import type { BenchOptions } from '../arguments.ts';
import { forkContender } from '../contenders/fork.ts';
import { measureSluice } from '../contenders/sluice.ts';
import type { BenchStack } from '../stack/stack.ts';
import { type Baselines, measureBaselines } from './baselines.ts';
import { type Measurement, median, rateOf } from './measurement.ts';
import type { PeerName, Peers } from './peers.ts';

/** The contenders by name. */
export interface Throughput extends Baselines {
  /** Threads of the limit: one per core. */
  threads: number;
  /** The plain script with worker threads. */
  limit: Measurement;
  /** The plain script without worker threads. */
  oneThread: Measurement;
  sluice: Measurement;
  /** Job queues, if requested; those that are not installed are listed in `missing`. */
  peers?: Partial<Record<PeerName, Measurement>>;
  missing?: string[];
  /** Every round of the fast contenders, which run in turn. */
  rounds: Round[];
}

const IN_TURN = ['limit', 'oneThread', 'sluice', 'bullGrouped'] as const;
type Round = Partial<Record<(typeof IN_TURN)[number], Measurement>>;

interface Files {
  upload: string;
  warmUp: string;
}

/** Runs all. Throws if a contender that processes the whole upload has another report than Sluice. */
export async function measureThroughput(
  stack: BenchStack,
  files: Files,
  options: BenchOptions,
  peers?: Peers,
): Promise<Throughput> {
  for (const what of peers?.missing ?? []) process.stdout.write(`  not measured; missing: ${what}\n`);
  const threads = availableParallelism();
  const rounds = await measureRounds(stack, files, { count: options.rounds, threads, peers });
  const middle = (name: keyof Round): Measurement => median(rounds.flatMap((round) => round[name] ?? []));
  const measured = {
    ...{ threads, limit: middle('limit'), oneThread: middle('oneThread'), sluice: middle('sluice') },
    ...(await measureBaselines(stack, options.baselineItems)),
    rounds,
  };
  if (peers === undefined) return measured;
  const grouped = peers.names.includes('bullGrouped') ? { bullGrouped: middle('bullGrouped') } : {};
  const perItem = await measurePerItem(peers, files, measured.sluice);
  return { ...measured, peers: { ...grouped, ...perItem }, missing: peers.missing };
}

type Run = (file: string) => Promise<Measurement>;

async function measureRounds(
  stack: BenchStack,
  { upload, warmUp }: Files,
  { count, threads, peers }: { count: number; threads: number; peers: Peers | undefined },
): Promise<Round[]> {
  // A separate process for each, so that its peak memory can be measured.
  const children = { limit: forkContender(), oneThread: forkContender() };
  const script =
    (name: 'limit' | 'oneThread', own: number): Run =>
    async (file) => ({
      ...(await children[name].run({ contender: 'script', file, threads: own })),
      ...{ operations: {}, actions: 0 },
    });
  const runs: Partial<Record<keyof Round, Run>> = {
    limit: script('limit', threads),
    oneThread: script('oneThread', 0),
    sluice: (file) => measureSluice(stack, file),
    ...(peers?.names.includes('bullGrouped') ? { bullGrouped: (file) => peers.run('bullGrouped', file) } : {}),
  };
  const names = IN_TURN.filter((name) => runs[name] !== undefined);
  for (const name of names) await runs[name]?.(warmUp);
  const rounds: Round[] = [];
  for (let number = 1; number <= count; number += 1) {
    const round: Round = {};
    for (const name of names) {
      const one = await runs[name]?.(upload);
      if (one !== undefined) round[name] = one;
    }
    const { sluice } = round;
    for (const name of names) expectSameReport(name, round[name], sluice);
    rounds.push(round);
    const rates = names.map((name) => `${name} ${rate(round[name])}`).join(', ');
    process.stdout.write(`  round ${number}, items/s: ${rates}\n`);
  }
  for (const child of Object.values(children)) await child.end();
  if (peers?.names.includes('bullGrouped')) await peers.end('bullGrouped');
  return rounds;
}

/** One run each, after a warm-up, because a run takes minutes. */
async function measurePerItem(
  peers: Peers,
  { upload, warmUp }: Files,
  sluice: Measurement,
): Promise<Throughput['peers']> {
  const measured: Partial<Record<PeerName, Measurement>> = {};
  for (const name of peers.names) {
    if (name === 'bullGrouped') continue;
    await peers.run(name, warmUp);
    const one = await peers.run(name, upload);
    expectSameReport(name, one, sluice);
    await peers.end(name);
    measured[name] = one;
    process.stdout.write(`  ${name}: ${rate(one)} items/s\n`);
  }
  return measured;
}

function expectSameReport(name: string, one: Measurement | undefined, sluice: Measurement | undefined): void {
  if (one?.items !== sluice?.items || one?.report !== sluice?.report)
    throw new Error(`Expected Sluice and ${name} to have the same items and the same report.`);
}

const rate = (one: Measurement | undefined): string => (one === undefined ? '' : formatCount(rateOf(one)));
