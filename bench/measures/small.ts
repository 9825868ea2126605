/**
 * Small batches: a trickle of a thousand, submitted evenly over a minute without waiting for the previous ones, and
 * lone ones, each of which starts on an idle system.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Operations, totalOperations } from '../../shared/contract/operations.ts';
import { inParallel } from '../../shared/parallel.ts';
import type { BenchOptions } from '../arguments.ts';
import { uploadText } from '../stack/api.ts';
import { usageLines } from '../stack/data.ts';
import type { BenchStack } from '../stack/stack.ts';
import { percentile } from './percentile.ts';

/** The results of small batches. */
export interface SmallResult {
  batches: number;
  itemsEach: number;
  seconds: number;
  operationsPerBatch: number;
  /** By kind, over all batches. */
  operations: Operations;
  actionsPerBatch: number;
  /**
   * Batches that each start on an idle system: the median of their storage operations, and the operations of all by
   * kind.
   */
  lone: { batches: number; median: number; operations: Operations };
  /** From the response to the upload to the event that the report exists. */
  latencyMs: { p50: number; p95: number; max: number };
}

const ITEMS_EACH = 100;
/** The queue of a billing batch of this size; it is empty when its gate is released. */
const WORK_QUEUE = 'billing-normal-0';
/** After the last report: the drains find their queues empty and release their gates. */
const QUIET_MS = 5_000;

/** Submits them all, and waits for their reports. */
export async function measureSmall(
  stack: BenchStack,
  { smallBatches, smallSeconds, loneBatches }: BenchOptions,
): Promise<SmallResult> {
  const lines = usageLines(smallBatches * ITEMS_EACH);
  const textOf = (index: number): string => `${lines.slice(index * ITEMS_EACH, (index + 1) * ITEMS_EACH).join('\n')}\n`;
  await submit(stack, textOf(0));
  await sleep(QUIET_MS);
  stack.events.clear();
  await stack.azurite.takeRequests();
  const actionsBefore = await stack.actions();
  const start = performance.now();
  const latencies = await inParallel(Array.from({ length: smallBatches }), smallBatches, async (_, index) => {
    const dueMs = start + (index * smallSeconds * 1000) / smallBatches;
    await sleep(Math.max(0, dueMs - performance.now()));
    return submit(stack, textOf(index));
  });
  const seconds = (performance.now() - start) / 1000;
  await sleep(QUIET_MS);
  const operations = await stack.azurite.takeRequests();
  const actions = (await stack.actions()) - actionsBefore;
  return {
    batches: smallBatches,
    itemsEach: ITEMS_EACH,
    seconds,
    operationsPerBatch: totalOperations(operations) / smallBatches,
    operations,
    lone: await measureLone(stack, textOf, loneBatches),
    actionsPerBatch: actions / smallBatches,
    latencyMs: { p50: percentile(latencies, 50), p95: percentile(latencies, 95), max: Math.max(...latencies) },
  };
}

/** Counts the storage operations of each of `batches`, from its upload until all of its drains have ended. */
async function measureLone(
  stack: BenchStack,
  textOf: (index: number) => string,
  batches: number,
): Promise<SmallResult['lone']> {
  const totals: number[] = [];
  const operations: Operations = {};
  for (let index = 0; index < batches; index += 1) {
    stack.events.clear();
    await stack.azurite.takeRequests();
    await submit(stack, textOf(index));
    // A batch of one chunk is collected by its round, so the result queue has no drain.
    await stack.events.first(({ event }) => event.type === 'QueueEmpty' && event.queue === WORK_QUEUE);
    await sleep(QUIET_MS);
    const one = await stack.azurite.takeRequests();
    totals.push(totalOperations(one));
    for (const [kind, count] of Object.entries(one)) operations[kind] = (operations[kind] ?? 0) + count;
  }
  return { batches, median: percentile(totals, 50), operations };
}

/** Milliseconds from acceptance to report. */
async function submit(stack: BenchStack, text: string): Promise<number> {
  const { id } = await uploadText(stack, 'billing', text);
  const acceptedMs = Date.now();
  const { heardMs } = await stack.events.first(({ event }) => event.type === 'BatchCompleted' && event.batch === id);
  return Math.max(0, heardMs - acceptedMs);
}
