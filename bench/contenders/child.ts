/** The process of one contender: does what its parent says, and tells time, CPU and memory of its own. */

import { reportDigest } from '../measures/digest.ts';
import { usageLines } from '../stack/data.ts';
import { endLimit, type Overlap, runLimit } from './limit.ts';
import { runListener } from './listener.ts';
import { runPMap } from './p-map.ts';
import { runPoller } from './poller.ts';
import { endProcessor, runProcessor } from './processor.ts';
import { fillQueue } from './queue.ts';
import { runQueueTrigger } from './queue-trigger.ts';

/** A run that the parent asks for; `tasks` of the listener, `concurrency` in items per thread. */
export type Order =
  | { contender: 'limit'; file: string; overlap: Overlap }
  | { contender: 'pMap' | 'processor'; items: number; concurrency: number }
  | { contender: 'listener' | 'queueTrigger' | 'poller'; storage: string; queue: string; items: number; tasks: number };

/** What the parent gets. */
export interface Done {
  items: number;
  seconds: number;
  enqueueSeconds?: number;
  cpuSeconds: number;
  peakBytes: number;
  report?: string;
}

const WAITING = { pMap: runPMap, processor: runProcessor };
const BASELINES = { listener: runListener, queueTrigger: runQueueTrigger, poller: runPoller };
const KiB = 1024;
const MICROSECONDS = 1_000_000;

async function carryOut(order: Order): Promise<Done> {
  if (order.contender === 'limit') {
    const { value, ...spent } = await measured(() => runLimit(order.file, order.overlap));
    return { ...spent, items: value.items, report: reportDigest(value.report) };
  }
  if ('concurrency' in order) {
    const { contender, items, concurrency } = order;
    const { value: _none, ...spent } = await measured(() => WAITING[contender](items, concurrency));
    return { ...spent, items };
  }
  const lines = usageLines(order.items);
  const filled = await measured(() => fillQueue(order.storage, order.queue, lines));
  const { value: _drained, ...spent } = await measured(() => BASELINES[order.contender](filled.value, order.tasks));
  return {
    items: order.items,
    seconds: filled.seconds + spent.seconds,
    enqueueSeconds: filled.seconds,
    cpuSeconds: filled.cpuSeconds + spent.cpuSeconds,
    peakBytes: spent.peakBytes,
  };
}

async function measured<T>(work: () => Promise<T>) {
  const before = process.cpuUsage();
  const start = performance.now();
  const value = await work();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  const peakBytes = process.resourceUsage().maxRSS * KiB;
  return { value, seconds, cpuSeconds: (user + system) / MICROSECONDS, peakBytes };
}

process.on('message', (order: Order) => {
  carryOut(order).then(
    (done) => process.send?.(done),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => {
  void Promise.all([endLimit(), endProcessor()]).finally(() => process.exit(0));
});
