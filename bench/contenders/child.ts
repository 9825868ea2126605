/** The process of one contender: carries out the orders of its parent, and measures its own time, CPU and memory. */

import { reportDigest } from '../measures/digest.ts';
import { usageLines } from '../stack/data.ts';
import { handle, reportLines, type Totals } from './handle.ts';
import { type Done, measured, serveOrders } from './measured.ts';
import { runPMap } from './p-map.ts';
import { endProcessor, runProcessor } from './processor.ts';
import { runListener } from './queues/listener.ts';
import { runPoller } from './queues/poller.ts';
import { fillQueue } from './queues/queue.ts';
import { runQueueTrigger } from './queues/queue-trigger.ts';
import { endScript, runScript } from './script/script.ts';

/** A run that the parent requests. `threads` 0 means only the main thread; `concurrency` is in items per thread. */
export type Order =
  | { contender: 'script'; file: string; threads: number }
  | { contender: 'pMap' | 'processor'; items: number; concurrency: number }
  | { contender: 'listener' | 'queueTrigger' | 'poller'; storage: string; queue: string; items: number; tasks: number };

const WAITING = { pMap: runPMap, processor: runProcessor };
const BASELINES = { listener: runListener, queueTrigger: runQueueTrigger, poller: runPoller };

async function carryOut(order: Order): Promise<Done> {
  if (order.contender === 'script') {
    const { value, ...spent } = await measured(() => runScript(order.file, order.threads));
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
  expectTotals(filled.value.totals, lines);
  return {
    items: order.items,
    seconds: filled.seconds + spent.seconds,
    enqueueSeconds: filled.seconds,
    cpuSeconds: filled.cpuSeconds + spent.cpuSeconds,
    peakBytes: spent.peakBytes,
  };
}

/** Throws if the totals of a queue are not those of its lines. */
function expectTotals(totals: Totals, lines: readonly string[]): void {
  const expected: Totals = new Map();
  for (const line of lines) handle(line, expected);
  if (reportDigest(reportLines(totals)) !== reportDigest(reportLines(expected)))
    throw new Error('Expected each item to be counted once.');
}

serveOrders(carryOut, () => Promise.all([endScript(), endProcessor()]));
