/** The results of the model as tables, which docs/performance.md contains. */
import { formatCount } from '../../cli/text/format.ts';
import { markdown } from '../report/markdown.ts';
import { LIMITS } from './limits.ts';
import { loadTime } from './load-time.ts';
import { type Deployment, instancesUsed, type Load, steadyRate, usePerChunk, type Work } from './model.ts';
import {
  asDeployed,
  billingWork,
  constantsOf,
  type ScaleResults,
  SPREAD_QUEUES,
  spread,
  waitingWork,
} from './results.ts';

const INSTANCES = [10, 100, 1_000];
const DAY = 86_400;
const MILLION = 1_000_000;
/** Large batches that run at the same time. */
const BATCHES = 4;

/** Rounds to two significant digits; a model is not more exact. */
const about = (value: number): string => formatCount(Number(value.toPrecision(2)));

const worksOf = (results: ScaleResults): Work[] => [
  ...[1_000, 5_000, 20_000].map((itemsPerChunk) => billingWork(results, itemsPerChunk)),
  ...[1_000, 5_000].map((itemsPerChunk) => waitingWork(results, itemsPerChunk)),
];

/** What limits 10, 100 and 1,000 instances, and at which rate. */
export function ratesTable(results: ScaleResults, deploymentOf: (instances: number) => Deployment): string[] {
  const constants = constantsOf(results);
  const cell = (work: Work, instances: number): string => {
    const deployment = deploymentOf(instances);
    const { itemsPerSecond, bound } = steadyRate(work, deployment, constants, BATCHES);
    const used = instancesUsed(deployment);
    return `${about(itemsPerSecond)}/s: ${bound}${bound === 'tasks per wave' ? ` (${used} work)` : ''}`;
  };
  const head = ['handler', 'items per chunk', ...INSTANCES.map((count) => `${formatCount(count)} instances`)];
  const rows = worksOf(results).map((work) => [
    ...[work.name, formatCount(work.itemsPerChunk)],
    ...INSTANCES.map((count) => cell(work, count)),
  ]);
  return markdown([head, ...rows]);
}

/** A single batch. */
export function batchTable(results: ScaleResults): string[] {
  const constants = constantsOf(results);
  const items = 10 * MILLION;
  const rows = [billingWork(results, 5_000), waitingWork(results, 5_000)].flatMap((work) =>
    [asDeployed, spread].map((deploymentOf) => {
      const load: Load = { batches: 1, chunksPerBatch: items / work.itemsPerChunk, withUpload: true };
      const times = INSTANCES.map((count) => loadTime(load, work, deploymentOf(count), constants));
      return [
        work.name,
        deploymentOf === asDeployed ? 'as deployed' : `${SPREAD_QUEUES} queues`,
        ...times.map(({ seconds }) => `${about(seconds)} s`),
        `${about(times[0]?.serialSeconds ?? 0)} s`,
      ];
    }),
  );
  const head = ['a batch of ten million', 'policy', ...INSTANCES.map((count) => `${formatCount(count)} instances`)];
  return markdown([[...head, 'of one instance'], ...rows]);
}

/**
 * Use of a batch of a hundred items in a trickle: storage calls (measured, `--small`), and the other values from
 * docs/performance.md.
 */
const SMALL = { items: 100, account: 19.4, dayRows: 2, openRows: 2, credits: 5, collectorCalls: 9, collectedAtOnce: 8 };

/** The number of items per day at which a service reaches its limit. */
export function fullTable(results: ScaleResults): string[] {
  const deployment = spread(INSTANCES.at(-1) ?? 1);
  const works = [1_000, 5_000].map((itemsPerChunk) => ({
    work: billingWork(results, itemsPerChunk),
    use: usePerChunk(billingWork(results, itemsPerChunk), deployment),
  }));
  const { latency } = deployment;
  const constants = constantsOf(results);
  const large = (perSecond: number, kind: keyof ReturnType<typeof usePerChunk>): string[] =>
    works.map(({ work, use }) => about((perSecond / use[kind]) * work.itemsPerChunk * DAY));
  const small = (batchesPerSecond: number): string => about(batchesPerSecond * SMALL.items * DAY);
  const collected = works.map(({ work }) => {
    const merge = work.mergePerItem * work.itemsPerChunk;
    return about((work.itemsPerChunk / (constants.collectPerChunk + merge)) * DAY);
  });
  const none = ['', ''];
  const { account, egressBytes, queue, partition, serviceBus } = LIMITS;
  const bytes = works.map(({ work }) => about((egressBytes.value / work.bytesPerItem) * DAY));
  const rows = [
    ['one storage account', ...large(account.value, 'account'), small(account.value / SMALL.account)],
    ['the bytes out of one storage account', ...bytes, ''],
    ['one queue of a lane', ...large(queue.value, 'queue'), small(queue.value / 3)],
    ['one Standard namespace (topic)', ...large(serviceBus.value, 'credits'), small(serviceBus.value / SMALL.credits)],
    ['the table partition of all gates', ...large(partition.value, 'gate'), ''],
    ['the table partition of open batches', ...none, small(partition.value / SMALL.openRows)],
    ["the table partition of a day's listing", ...none, small(partition.value / SMALL.dayRows)],
    ['the collector of one workload', ...collected, small(SMALL.collectedAtOnce / (SMALL.collectorCalls * latency))],
  ];
  const head = ['full at this number of items per day', 'chunks of 1,000', 'chunks of 5,000', 'batches of 100'];
  return markdown([head, ...rows]);
}

/** The tables of docs/performance.md. */
export const modelTables = (results: ScaleResults): string[] => [
  'As deployed: one queue per lane, thresholds of the default policy (at most 100 tasks per wave).',
  '',
  ...ratesTable(results, asDeployed),
  '',
  `With \`queuesPerLane: ${SPREAD_QUEUES}\`, and thresholds raised to the capacity.`,
  '',
  ...ratesTable(results, spread),
  '',
  ...batchTable(results),
  '',
  ...fullTable(results),
];
