/** The contenders side by side: the same Azurite, the same handler, in turn. */
import { formatCount } from '../../cli/text/format.ts';
import type { BenchOptions } from '../arguments.ts';
import { forkContender } from '../contenders/fork.ts';
import type { Overlap } from '../contenders/limit.ts';
import { measureSluice } from '../contenders/sluice.ts';
import type { BenchStack } from '../stack/stack.ts';
import { fastest, type Measurement, median, rateOf } from './measurement.ts';

/** The contenders by name. */
export interface Throughput {
  limit: Measurement;
  /** The limit for whom takes a batch whole or not at all: nothing is processed before the last item has come in. */
  limitWhole: Measurement;
  sluice: Measurement;
  listener: Measurement;
  queueTrigger: Measurement;
  poller: Measurement;
  /** Every round of those that take the whole upload. */
  rounds: Round[];
}

interface Round {
  limit: Measurement;
  limitWhole: Measurement;
  sluice: Measurement;
}

/** Enough to see that the interval alone decides. */
const POLLER_ITEMS = 5;
const WARM_UP_ITEMS = 500;
/** Those of the paper's rule, which knows nothing of this machine: the best one counts. */
const LISTENER_TASKS = [10, 50, 100];

/** Runs all. Throws when Sluice's report is not the one that the limit came to. */
export async function measureThroughput(
  stack: BenchStack,
  files: { upload: string; warmUp: string },
  options: BenchOptions,
): Promise<Throughput> {
  const rounds = await measureRounds(stack, files, options.rounds);
  const listeners: Measurement[] = [];
  for (const tasks of LISTENER_TASKS) listeners.push(await baseline(stack, 'listener', options.baselineItems, tasks));
  return {
    limit: median(rounds.map((round) => round.limit)),
    limitWhole: median(rounds.map((round) => round.limitWhole)),
    sluice: median(rounds.map((round) => round.sluice)),
    listener: fastest(listeners),
    queueTrigger: await baseline(stack, 'queueTrigger', options.baselineItems),
    poller: await baseline(stack, 'poller', POLLER_ITEMS),
    rounds,
  };
}

async function measureRounds(
  stack: BenchStack,
  { upload, warmUp }: { upload: string; warmUp: string },
  count: number,
): Promise<Round[]> {
  const child = forkContender();
  const runLimit = async (file: string, overlap: Overlap): Promise<Measurement> => ({
    ...(await child.run({ contender: 'limit', file, overlap })),
    ...{ operations: {}, actions: 0 },
  });
  await runLimit(warmUp, 'overlapping');
  await measureSluice(stack, warmUp);
  const rounds: Round[] = [];
  for (let round = 1; round <= count; round += 1) {
    const limit = await runLimit(upload, 'overlapping');
    const sluice = await measureSluice(stack, upload);
    const limitWhole = await runLimit(upload, 'acceptedWhole');
    if (limit.report !== sluice.report) throw new Error('Expected the same report of Sluice and of the limit.');
    rounds.push({ limit, limitWhole, sluice });
    const rates = `limit ${rate(limit)}, accepted whole ${rate(limitWhole)}, Sluice ${rate(sluice)} items/s`;
    process.stdout.write(`  round ${round}: ${rates}\n`);
  }
  await child.end();
  return rounds;
}

const rate = (one: Measurement): string => formatCount(rateOf(one));

type Baseline = 'listener' | 'queueTrigger' | 'poller';

/** A process of its own for each; the first run warms it up. */
async function baseline({ azurite }: BenchStack, contender: Baseline, items: number, tasks = 1): Promise<Measurement> {
  const child = forkContender();
  const storage = azurite.process.ready;
  const order = { contender, tasks, storage, queue: `bench-${contender.toLowerCase()}-0` };
  await child.run({ ...order, items: contender === 'poller' ? 1 : WARM_UP_ITEMS });
  await azurite.takeRequests();
  const done = await child.run({ ...order, items });
  // Making the queue is once, however many items there are.
  const { 'queue.create': _made, ...operations } = await azurite.takeRequests();
  const measurement = { ...done, operations, actions: 0 };
  await child.end();
  process.stdout.write(
    `  ${contender}, ${tasks === 1 ? '' : `${tasks} tasks, `}${items} items: ${rate(measurement)} items/s\n`,
  );
  return measurement;
}
