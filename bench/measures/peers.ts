/** Job queues that a user could choose instead, each with its workers in a separate process. */
import { existsSync } from 'node:fs';
import type { BenchOptions } from '../arguments.ts';
import { forkContender } from '../contenders/fork.ts';
import { startPostgres } from '../servers/postgres.ts';
import { startRedis } from '../servers/redis.ts';
import { runningServer, type Server } from '../servers/server.ts';
import { familyCpuSeconds } from '../stack/process-usage.ts';
import type { Measurement } from './measurement.ts';

/** The server in which each job queue stores its jobs. */
export const PEERS = {
  bullGrouped: 'Redis',
  bullPerItem: 'Redis',
  pgBoss: 'PostgreSQL',
  graphileWorker: 'PostgreSQL',
} as const;
/** A job queue by its name in the results. */
export type PeerName = keyof typeof PEERS;

/** A run that bench/peers/child.ts carries out. */
export interface PeerOrder {
  contender: PeerName;
  /** Address of Redis or PostgreSQL. */
  server: string;
  file: string;
}

/** The job queues that can be measured here. */
export interface Peers {
  /** What is not installed, and how to install it. */
  missing: string[];
  names: readonly PeerName[];
  /** Processes a file with one of `names`. The first run of a job queue starts its process. */
  run(name: PeerName, file: string): Promise<Measurement>;
  /** Ends one job queue's process. */
  end(name: PeerName): Promise<void>;
}

const FOLDER = new URL('../peers/', import.meta.url);
const GET = {
  packages: 'the packages of bench/peers: npm ci --prefix bench/peers',
  Redis: 'redis-server: apt-get install redis-server, or --redis URL (bench/peers/README.md)',
  PostgreSQL: 'PostgreSQL: apt-get install postgresql, or --postgres URL (bench/peers/README.md)',
};
type ServerName = (typeof PEERS)[PeerName];

/** Passes the job queues to `work`, and ends everything that was started for them. */
export async function withPeers<T>(
  { redis, postgres }: Pick<BenchOptions, 'redis' | 'postgres'>,
  work: (peers: Peers) => Promise<T>,
): Promise<T> {
  if (!existsSync(new URL('node_modules/bullmq', FOLDER)))
    return work({ missing: [GET.packages], names: [], run: refuse, end: refuse });
  const servers: Partial<Record<ServerName, Server>> = {};
  const children = new Map<PeerName, ReturnType<typeof forkContender<PeerOrder>>>();
  try {
    const start = async (name: ServerName, url: string | undefined, launch: () => Promise<Server | undefined>) => {
      const server = url === undefined ? await launch() : await runningServer(url);
      if (server) servers[name] = server;
      return server ? [] : [GET[name]];
    };
    const missing = [
      ...(await start('Redis', redis, startRedis)),
      ...(await start('PostgreSQL', postgres, startPostgres)),
    ];
    const run = async (name: PeerName, file: string): Promise<Measurement> => {
      const server = servers[PEERS[name]];
      if (server === undefined) return refuse();
      const child = children.get(name) ?? forkContender<PeerOrder>(new URL('child.ts', FOLDER));
      children.set(name, child);
      const { value, seconds } = await serverSeconds(server, () =>
        child.run({ contender: name, server: server.url, file }),
      );
      return { ...value, operations: {}, actions: 0, ...(seconds === undefined ? {} : { storageCpuSeconds: seconds }) };
    };
    const end = async (name: PeerName): Promise<void> => {
      await children.get(name)?.end();
      children.delete(name);
    };
    const names = (Object.keys(PEERS) as PeerName[]).filter((name) => servers[PEERS[name]] !== undefined);
    return await work({ missing, names, run, end });
  } finally {
    for (const child of children.values()) await child.end();
    for (const server of Object.values(servers)) await server.stop();
  }
}

const refuse = async (): Promise<never> => {
  throw new Error('Expected a job queue that can be measured here.');
};

/** CPU seconds of the server while `work` runs; undefined if the bench did not start the server. */
async function serverSeconds<T>({ pid }: Server, work: () => Promise<T>): Promise<{ value: T; seconds?: number }> {
  const before = pid === undefined ? undefined : await familyCpuSeconds(pid);
  const value = await work();
  const after = pid === undefined ? undefined : await familyCpuSeconds(pid);
  return { value, ...(before === undefined || after === undefined ? {} : { seconds: after - before }) };
}
