import { formatCount } from '../../cli/text/format.ts';
import { type Measurement, rateOf } from '../measures/measurement.ts';
import { PEERS } from '../measures/peers.ts';
import type { Throughput } from '../measures/throughput.ts';
import { GUARANTEE_HEADS, GUARANTEES, type Guarantees, SOURCES } from './guarantees.ts';
import { markdown } from './markdown.ts';
import { type ContenderName, contendersOf, NAMES } from './names.ts';
import { operationsAMillion } from './results.ts';

const MILLION = 1_000_000;
const MB = 1_000_000;

function contenderRows(throughput: Throughput): string[] {
  const { sluice, threads } = throughput;
  const row = ([name, one]: [ContenderName, Measurement]): string[] => [
    name === 'limit' ? `${NAMES.limit} (${threads})` : NAMES[name],
    rateOf(one) < 100 ? rateOf(one).toFixed(1) : formatCount(rateOf(one)),
    // Redis and PostgreSQL are not billed per operation.
    isPeer(name) ? '' : formatCount(operationsAMillion(one)),
    formatCount((one.actions / one.items) * MILLION),
    ((one.cpuSeconds / one.items) * MILLION).toFixed(1),
    one.storageCpuSeconds === undefined ? '' : ((one.storageCpuSeconds / one.items) * MILLION).toFixed(1),
    formatCount(one.peakBytes / MB),
    (rateOf(sluice) / rateOf(one)).toFixed(2),
  ];
  const head = [
    'contender',
    'items/s',
    'storage ops/M',
    'actions/M',
    'CPU s/M',
    "server's",
    'peak MB',
    'Sluice is times',
  ];
  return markdown([head, ...contendersOf(throughput).map(row)]);
}

const isPeer = (name: ContenderName): boolean => name in PEERS;

/** Returns which contenders were faster than Sluice, and by what factor. */
function fasterThanSluice(throughput: Throughput): string {
  const own = rateOf(throughput.sluice);
  const faster = contendersOf(throughput).filter(([, one]) => rateOf(one) > own);
  const times = ([name, one]: [ContenderName, Measurement]): string =>
    `${NAMES[name]} (${(rateOf(one) / own).toFixed(2)} times)`;
  return `Faster than Sluice in this run: ${faster.length === 0 ? 'none' : faster.map(times).join(', ')}.`;
}

function guaranteeRows(throughput: Throughput): string[] {
  const columns = Object.keys(GUARANTEE_HEADS) as (keyof Guarantees)[];
  const head = ['contender', ...columns.map((column) => GUARANTEE_HEADS[column])];
  const rows = contendersOf(throughput).map(([name]) => [
    NAMES[name],
    ...columns.map((column) => GUARANTEES[name][column]),
  ]);
  const sources = SOURCES.map((source, index) => `[${index + 1}] ${source}`);
  return [...markdown([head, ...rows]), '', '"own code": the user must write it.', ...sources];
}

/** Returns the tables of the contenders: their figures and, with job queues, their guarantees. */
export function throughputLines(throughput: Throughput): string[] {
  const { peers, missing = [] } = throughput;
  return [
    '',
    ...contenderRows(throughput),
    '',
    fasterThanSluice(throughput),
    ...missing.map((what) => `Not measured; missing: ${what}.`),
    ...(peers ? ['', ...guaranteeRows(throughput)] : []),
  ];
}
