/** A thousand small batches, submitted evenly over a minute whether the ones before are done or not. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Operations, totalOperations } from '../../shared/contract/operations.ts';
import { inParallel } from '../../shared/parallel.ts';
import type { BenchOptions } from '../arguments.ts';
import { uploadText } from '../stack/api.ts';
import { usageLines } from '../stack/data.ts';
import type { BenchStack } from '../stack/stack.ts';
import { percentile } from './percentile.ts';

/** What small batches come to. */
export interface SmallResult {
  batches: number;
  itemsEach: number;
  seconds: number;
  operationsABatch: number;
  /** By kind, over all batches. */
  operations: Operations;
  actionsABatch: number;
  /** From the answer to the upload to the event that the report is there. */
  latencyMs: { p50: number; p95: number; max: number };
}

const ITEMS_EACH = 100;
/** After the last report: the drains find their queues empty and let go. */
const QUIET_MS = 5_000;

/** Submits them all, and waits for their reports. */
export async function measureSmall(
  stack: BenchStack,
  { smallBatches, smallSeconds }: BenchOptions,
): Promise<SmallResult> {
  const lines = usageLines(smallBatches * ITEMS_EACH);
  const textOf = (index: number): string => `${lines.slice(index * ITEMS_EACH, (index + 1) * ITEMS_EACH).join('\n')}\n`;
  await submit(stack, textOf(0));
  await sleep(QUIET_MS);
  stack.events.clear();
  await stack.azurite.takeRequests();
  const actions = await stack.actions();
  const start = performance.now();
  const latencies = await inParallel(Array.from({ length: smallBatches }), smallBatches, async (_, index) => {
    const dueMs = start + (index * smallSeconds * 1000) / smallBatches;
    await sleep(Math.max(0, dueMs - performance.now()));
    return submit(stack, textOf(index));
  });
  const seconds = (performance.now() - start) / 1000;
  await sleep(QUIET_MS);
  const operations = await stack.azurite.takeRequests();
  return {
    batches: smallBatches,
    itemsEach: ITEMS_EACH,
    seconds,
    operationsABatch: totalOperations(operations) / smallBatches,
    operations,
    actionsABatch: ((await stack.actions()) - actions) / smallBatches,
    latencyMs: { p50: percentile(latencies, 50), p95: percentile(latencies, 95), max: Math.max(...latencies) },
  };
}

/** Milliseconds from acceptance to report. */
async function submit(stack: BenchStack, text: string): Promise<number> {
  const { id } = await uploadText(stack, 'billing', text);
  const acceptedMs = Date.now();
  const { heardMs } = await stack.events.first(({ event }) => event.type === 'BatchCompleted' && event.batch === id);
  return Math.max(0, heardMs - acceptedMs);
}
