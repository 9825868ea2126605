/** The process of a job queue: its producer, and its workers in separate threads. */
import { reportLines } from '../contenders/handle.ts';
import { type Done, measured, serveOrders } from '../contenders/measured.ts';
import { reportDigest } from '../measures/digest.ts';
import type { PeerName, PeerOrder } from '../measures/peers.ts';
import { openGrouped, openPerItem } from './bullmq/bullmq.ts';
import { openGraphileWorker } from './graphile/graphile-worker.ts';
import type { Peer } from './peer.ts';
import { openPgBoss } from './pg-boss/pg-boss.ts';

const OPEN: Readonly<Record<PeerName, (server: string) => Promise<Peer>>> = {
  bullGrouped: openGrouped,
  bullPerItem: openPerItem,
  pgBoss: openPgBoss,
  graphileWorker: openGraphileWorker,
};

let peer: Peer | undefined;

async function carryOut({ contender, server, file }: PeerOrder): Promise<Done> {
  peer ??= await OPEN[contender](server);
  const open = peer;
  const { value, ...spent } = await measured(async () => {
    const { items, totals } = await open.run(file);
    return { items, lines: reportLines(totals) };
  });
  return { ...spent, items: value.items, report: reportDigest(value.lines) };
}

serveOrders(carryOut, async () => peer?.close());
