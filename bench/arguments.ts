import { parseArgs } from 'node:util';

/** The usage text. */
export const USAGE = `Usage: npm run bench [-- options]
  --items N       items of the large upload; default 1000000
  --rounds N      how often the limit and Sluice run in turn; the median counts; default 3
  --quick         a short run: fewer items, rounds, batches and wakes
  --throughput    only the comparison of the contenders
  --peers         the same with the job queues that a user could choose instead (bench/peers/README.md); also
                  --redis URL and --postgres URL for running servers; by default, starts them if installed
  --memory        only the peak memory of the app for one upload
  --small         only the thousand small batches, and the lone ones
  --start         only the start of the local stack
  --wake          only the wake latency
  --waiting       only handlers that wait, compared with p-map
  --limits        only the cost of a rate limit, and its utilization
  --scale         only the scaling: up to eight instances, the part of one instance, and the model
  --idle          only the storage operations of the app without work, for --minutes N; default 5
  --dev           only the time of \`npm run dev\` from an edit of a workload to the new result
  --door          only the answers of the health route under hostile inputs
  --http          with --waiting: also a new workload that calls an HTTP server, run by npm start
  --five-million  also the memory for an upload of five times the items
  --save          save the results: bench/results/latest.json; for handlers that wait, bench/results/waiting.json;
                  for --scale, bench/results/scale.json and its tables in docs/performance.md;
                  for the comparison of the contenders, docs/images/bench.svg
  --help`;

/** The options of a run. */
export interface BenchOptions {
  items: number;
  rounds: number;
  /** Items of the baselines, which are only used to compute a rate. */
  baselineItems: number;
  smallBatches: number;
  smallSeconds: number;
  /** Batches that each start on an idle system. */
  loneBatches: number;
  /** Starts of the local stack. */
  starts: number;
  wakes: number;
  /** Target duration of a run of a waiting handler. */
  waitingSeconds: number;
  /** Calls of an HTTP server that responds in 20 ms; fewer for a slower one. */
  httpItems: number;
  throughput: boolean;
  peers: boolean;
  /** Addresses of running servers; if undefined, the bench starts its own. */
  redis: string | undefined;
  postgres: string | undefined;
  memory: boolean;
  small: boolean;
  start: boolean;
  wake: boolean;
  waiting: boolean;
  limits: boolean;
  /** Runs instead of all others, as `idle`, `dev` and `door` do. */
  scale: boolean;
  idle: boolean;
  /** Duration of `idle`. */
  minutes: number;
  dev: boolean;
  door: boolean;
  http: boolean;
  fiveMillion: boolean;
  save: boolean;
  help: boolean;
}

const FULL = {
  ...{ items: 1_000_000, rounds: 3, baselineItems: 2_000, smallBatches: 1_000, smallSeconds: 60, wakes: 200 },
  ...{ waitingSeconds: 20, httpItems: 100_000, loneBatches: 10, starts: 5 },
};
const QUICK = {
  ...{ items: 200_000, rounds: 1, baselineItems: 1_000, smallBatches: 100, smallSeconds: 6, wakes: 20 },
  ...{ waitingSeconds: 4, httpItems: 20_000, loneBatches: 3, starts: 2 },
};

/** Long enough to show everything that polls. A sweep is due every 15 minutes, a scan of the inbox every 10. */
const IDLE_MINUTES = 5;

/** Reads the command line. Throws for unknown arguments. */
export function readArguments(args: string[]): BenchOptions {
  const flag = { type: 'boolean', default: false } as const;
  const number = { type: 'string' } as const;
  const { values } = parseArgs({
    args,
    options: {
      ...{ items: number, rounds: number, quick: flag, throughput: flag, small: flag, wake: flag },
      ...{ waiting: flag, limits: flag, scale: flag, http: flag, save: flag, help: flag, memory: flag, start: flag },
      ...{ idle: flag, minutes: number, dev: flag, door: flag },
      ...{ 'five-million': flag },
      ...{ peers: flag, redis: { type: 'string' }, postgres: { type: 'string' } },
    },
  });
  const {
    quick,
    small,
    wake,
    waiting,
    limits,
    scale,
    http,
    start,
    peers,
    redis,
    postgres,
    idle,
    dev,
    door,
    save,
    help,
  } = values;
  const size = quick ? QUICK : FULL;
  const throughput = values.throughput || peers;
  const fiveMillion = values['five-million'];
  const memory = values.memory || fiveMillion;
  const chosen = throughput || memory || small || start || wake || waiting || limits;
  if (http && !waiting) throw new Error('--http: expected --waiting as well');
  if ((redis ?? postgres) !== undefined && !peers) throw new Error('--redis, --postgres: expected --peers as well');
  if (values.minutes !== undefined && !idle) throw new Error('--minutes: expected --idle as well');
  return {
    ...size,
    items: wholeOf('--items', values.items, size.items),
    rounds: wholeOf('--rounds', values.rounds, size.rounds),
    throughput: throughput || !chosen,
    memory: memory || !chosen,
    small: small || !chosen,
    start: start || !chosen,
    wake: wake || !chosen,
    waiting: waiting || !chosen,
    limits: limits || !chosen,
    minutes: wholeOf('--minutes', values.minutes, IDLE_MINUTES),
    ...{ scale, idle, dev, door, peers, redis, postgres, http, fiveMillion, save, help },
  };
}

function wholeOf(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new Error(`${name}: expected a whole number from 1, got "${text}"`);
}
