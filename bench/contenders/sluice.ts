/** Contender: Sluice itself, from the first byte of the HTTP upload to the event that its report exists. */
import { setTimeout as sleep } from 'node:timers/promises';
import { peakMemory } from '../../local/batch/peak-memory.ts';
import { reportDigest } from '../measures/digest.ts';
import type { Measurement } from '../measures/measurement.ts';
import { read, uploadFile } from '../stack/api.ts';
import { cpuSeconds } from '../stack/process-usage.ts';
import type { BenchStack } from '../stack/stack.ts';

/** The result drain polls its empty queue for another second, and then releases its gate. */
const QUIET_MS = 3_000;

/** Sends one file, and counts all work that it causes, including the end of its drains. */
export async function measureSluice(stack: BenchStack, file: string, workload = 'billing'): Promise<Measurement> {
  const { azurite, events, host } = stack;
  events.clear();
  await azurite.takeRequests();
  const before = {
    actions: await stack.actions(),
    cpu: await cpuSeconds(host.pid),
    other: await cpuSeconds(azurite.process.pid),
  };
  const start = performance.now();
  const batch = await uploadFile(stack, workload, file);
  const accepted = performance.now();
  await events.first(({ event }) => event.type === 'BatchCompleted' && event.batch === batch.id);
  const seconds = (performance.now() - start) / 1000;
  await sleep(QUIET_MS);
  const cpu = (await cpuSeconds(host.pid)) - before.cpu;
  const other = (await cpuSeconds(azurite.process.pid)) - before.other;
  const operations = await azurite.takeRequests();
  const report = await read(stack, `batches/${batch.id}/report`);
  return {
    items: batch.counts.accepted,
    seconds,
    operations,
    actions: (await stack.actions()) - before.actions,
    cpuSeconds: cpu,
    storageCpuSeconds: other,
    peakBytes: (await peakMemory(host.pid)) ?? 0,
    acceptedSeconds: (accepted - start) / 1000,
    report: reportDigest(report.split('\n')),
  };
}
