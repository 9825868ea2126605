import { odata } from '@azure/data-tables';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { changeBatch } from '../../../shared/batches/ledger.ts';
import { writeProgress } from '../../../shared/batches/progress/progress-rows.ts';
import { deleteBatch } from '../../../shared/commands/delete.ts';
import type { QueueEvent } from '../../../shared/contract/events.ts';
import { getBatch } from '../../../shared/http/batches/get-batch.ts';
import { type BatchView, batchViewSchema } from '../../../shared/http/batches/schemas.ts';
import { submit } from '../../../shared/intake/submit.ts';
import { createPipeline, type Pipeline as WholePipeline } from '../../../shared/pipeline.ts';
import { createProcessor, type Processor } from '../../../shared/processing/threads/processor.ts';
import { receive } from '../../../shared/queues/messages.ts';
import { queryEntities } from '../../../shared/storage/table.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { HOST } from '../../helpers/fakes/host-limits.ts';
import { BASIS } from '../../helpers/fakes/receipt-basis.ts';
import { call } from './call.ts';
import { type Pipeline, startPipeline } from './pipeline.ts';

/** Has the same name as the workload in the worker threads. */
const patient = defineWorkload({ name: 'patient', version: 3, item: z.unknown(), map: (item) => item });
const QUEUE = 'patient-normal-0';

type Sent = { body: QueueEvent };
const sent: QueueEvent[] = [];
let storage: Pipeline;
let processor: Processor;
let worker: WholePipeline;

beforeAll(async () => {
  storage = await startPipeline();
  const threadUrl = new URL('../../helpers/threads/thread-workloads.ts', import.meta.url);
  processor = createProcessor({ threadUrl, threads: 1, log: () => {} });
  worker = createPipeline({
    ...{ settings: storage.settings, registry: createRegistry([patient]), host: HOST, processor },
    clients: { ...storage.clients, topic: { sendMessages: async (message) => void sent.push((message as Sent).body) } },
    checkIntervalMs: 100,
  });
  await storage.clients.queue(QUEUE).create();
  await storage.clients.queue('patient-results').create();
});
afterAll(async () => {
  await worker?.close();
  await storage?.stop();
});

async function show(id: string): Promise<BatchView> {
  const http = { ...worker.deps(), basis: BASIS };
  const answer = await call((request) => getBatch(http, request), `batches/${id}`, { params: { id } });
  return batchViewSchema.parse(answer.json());
}

it('shows the progress of a running chunk, detects the risk to the deadline, and stops the chunk on cancellation', async () => {
  const acts = ['awaitAbort', 'awaitAbort', 'reject', 'retry', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok'];
  const { id } = await submit(worker.deps(), {
    ...{ workload: patient, source: { kind: 'http', name: 'test' }, limits: storage.settings },
    body: (async function* () {
      for (const [n, act] of acts.entries()) yield Buffer.from(`${JSON.stringify({ id: n, act })}\n`);
    })(),
    ...{ format: 'ndjson', encoding: 'identity' },
  });
  const address = worker.registry.queue(QUEUE);
  if (!address) throw new Error(`There is no queue ${QUEUE}.`);
  const round = worker.roundFor(address)(await receive(storage.clients.queue(QUEUE), 32, 30));

  // The latest failure leaves the thread shortly after the first counts.
  await expect.poll(async () => (await show(id)).progress?.latestError).toBeDefined();
  const { progress, counts, estimate, state } = await show(id);

  expect([state, counts.pending]).toEqual(['queued', 10]);
  expect(progress).toMatchObject({ chunks: 1, items: 10, ended: 7, inFlight: 2, failing: 2 });
  expect(progress?.latestError).toBe('Retry: upstream is busy');
  expect(estimate?.basis).toMatch(/^7 of 10 items have ended, 7 of them in running chunks, in the first .* s after/);

  const hence = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
  // Seven of ten in an hour, so the rest takes 26 more minutes.
  const times = { openedAt: hence(-60), queuedAt: hence(-60), deadlineAt: hence(10) };
  expect(sent.map(({ type }) => type)).toEqual(['QueueWorkDetected']);
  await changeBatch(storage.clients.batches, id, () => times);
  await expect.poll(() => sent.at(-1)?.type).toBe('DeadlineAtRisk');
  expect(sent.at(-1)).toMatchObject({ batch: id, items: 10, details: { deadlineAt: times.deadlineAt, ended: 7 } });
  expect(Date.parse(String(sent.at(-1)?.details?.expectedAt))).toBeGreaterThan(Date.parse(times.deadlineAt));
  await changeBatch(storage.clients.batches, id, () => ({ state: 'cancelling' }));
  expect(await round).toMatchObject({ done: 1 });
  await expect.poll(async () => (await show(id)).progress).toBeUndefined();
});

it('deletes the progress with its batch', async () => {
  const { id } = await storage.submit([{ id: 'a' }]);
  await storage.finish(id);
  const progress = { chunks: 1, items: 1, ended: 0, inFlight: 1, failing: 0, at: new Date().toISOString() };
  await writeProgress(storage.clients.batches, { batch: id, processId: 'killed' }, progress);

  expect(await deleteBatch(storage.deps, id)).toBe(true);

  const left: string[] = [];
  for await (const { rowKey } of queryEntities(storage.clients.batches, odata`PartitionKey eq ${id}`))
    left.push(rowKey);
  expect(left).toEqual([]);
});
