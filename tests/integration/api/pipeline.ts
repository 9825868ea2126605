/**
 * The pipeline without its drains: the real code accepts, processes and collects batches, and tests advance it chunk by chunk.
 */
import type { ServiceBusMessage } from '@azure/service-bus';
import { makeStorage } from 'functions-local';
import { z } from 'zod';
import type { BatchRow } from '../../../shared/batches/batch-row.ts';
import type { ChunkRow } from '../../../shared/batches/chunk-row.ts';
import { chunkRows, readBatch } from '../../../shared/batches/ledger.ts';
import type { QueueEvent } from '../../../shared/contract/events.ts';
import { CONTAINERS, TABLES } from '../../../shared/contract/names.ts';
import type { OutcomeHeader } from '../../../shared/contract/outcome.ts';
import { createMeter } from '../../../shared/cost/meter.ts';
import { submit } from '../../../shared/intake/submit.ts';
import type { SubmitDeps } from '../../../shared/intake/submit-request.ts';
import { createPipeline, type PipelineDeps } from '../../../shared/pipeline.ts';
import { readRange } from '../../../shared/processing/fetch-frames.ts';
import type { ItemsRoundDeps } from '../../../shared/processing/items-round.ts';
import { putOutcome } from '../../../shared/processing/outcome/outcome-store.ts';
import { collectBatch } from '../../../shared/results/collect-batch.ts';
import type { FinalizeDeps } from '../../../shared/results/finalize.ts';
import { readSettings, type Settings } from '../../../shared/settings.ts';
import { type Clients, createClients } from '../../../shared/storage/clients.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { Reject, Retry } from '../../../shared/workload/errors.ts';
import { createRegistry, type Registry } from '../../../shared/workload/registry.ts';
import { connectionsTo } from '../../helpers/fakes/connections.ts';
import { HOST } from '../../helpers/fakes/host-limits.ts';
import { openAccount } from '../../helpers/own-account.ts';
import { createInlineProcessor } from '../../helpers/threads/inline-processor.ts';

/** Follows the instructions in an item: `{id, reject: 'why'}`, `{id, failUntil: 2}`; otherwise returns `{id, sum, note}`. */
export const echo = defineWorkload({
  name: 'echo',
  version: 2,
  item: z.object({
    id: z.string(),
    amount: z.number().default(1),
    note: z.string().optional(),
    reject: z.string().optional(),
    failUntil: z.number().optional(),
  }),
  map: (item, context) => {
    if (item.reject !== undefined) throw new Reject(item.reject);
    if ((item.failUntil ?? 0) > context.attempt) throw new Retry(`attempt ${context.attempt} of "${item.id}" failed`);
    return { id: item.id, amount: item.amount, ...(item.note === undefined ? {} : { note: item.note }) };
  },
  reduce: {
    key: (result) => result.id.slice(0, 1),
    init: () => ({ items: 0, amount: 0 }),
    add: (acc, result) => ({ items: acc.items + 1, amount: acc.amount + result.amount }),
    merge: (a, b) => ({ items: a.items + b.items, amount: a.amount + b.amount }),
  },
  id: ({ id }) => id,
  chunk: { maxItems: 3 },
  lanes: ['normal', 'bulk'],
});
export const other = defineWorkload({ name: 'other', version: 1, item: z.unknown(), map: (item) => item });

const registry = createRegistry([echo, other]);

export interface Pipeline {
  clients: Clients;
  settings: Settings;
  deps: PipelineDeps;
  registry: Registry;
  /** Published events, by type and queue. */
  events: string[];
  /** The application properties of published events. */
  properties: Record<string, unknown>[];
  submit: (records: unknown[], options?: { lane?: string; workload?: 'echo' | 'other' }) => Promise<BatchRow>;
  /** Submits NDJSON unchanged. */
  submitText: (text: string) => Promise<BatchRow>;
  /** Processes at most `limit` pending chunks and collects them. Their follow-ups stay pending. */
  work: (batch: string, limit?: number) => Promise<void>;
  /** Processes chunks until none is pending. */
  finish: (batch: string) => Promise<BatchRow>;
  stop: () => Promise<void>;
}

/** Starts the pipeline on new storage. */
export async function startPipeline(): Promise<Pipeline> {
  const storage = await openAccount();
  await makeStorage(storage.connection, { containers: Object.values(CONTAINERS), tables: Object.values(TABLES) });
  const pipeline = startPipelineOn(storage.connection);
  const stop = async (): Promise<void> => {
    await pipeline.stop();
    await storage.stop();
  };
  return { ...pipeline, stop };
}

/** Starts the pipeline on storage that already has its tables and containers. */
export function startPipelineOn(connection: string): Pipeline {
  const settings = readSettings({ ...connectionsTo(connection), SLUICE_VISIBILITY_SECONDS: '30' });
  const clients = createClients(settings, createMeter());
  const processor = createInlineProcessor(registry);
  const events: string[] = [];
  const properties: Record<string, unknown>[] = [];
  const sendMessages = async (message: unknown): Promise<void> => {
    const { body, applicationProperties } = message as ServiceBusMessage & { body: QueueEvent };
    events.push(`${body.type} ${body.queue}`);
    properties.push(applicationProperties ?? {});
  };
  const pipeline = createPipeline({
    settings,
    registry,
    host: HOST,
    processor,
    clients: { ...clients, topic: { sendMessages } },
  });
  const deps = pipeline.deps();
  const work = (batch: string, limit?: number) => workOn({ deps, processor }, batch, limit);
  return {
    clients,
    settings,
    deps,
    registry,
    events,
    properties,
    work,
    submit: (records, { lane, workload = 'echo' } = {}) => {
      const text = records.map((record) => `${JSON.stringify(record)}\n`).join('');
      return submitText(deps, text, { lane, workload, limits: settings });
    },
    submitText: (text) => submitText(deps, text, { lane: undefined, workload: 'echo', limits: settings }),
    finish: async (batch) => {
      for (;;) {
        await work(batch);
        const found = await readBatch(clients.batches, batch);
        if (!found) throw new Error(`Expected batch ${batch}, found none.`);
        if (found.row.chunksDone === found.row.chunksTotal) return found.row;
      }
    },
    stop: () => clients.close(),
  };
}

function submitText(
  deps: SubmitDeps,
  text: string,
  { lane, workload, limits }: { lane: string | undefined; workload: 'echo' | 'other'; limits: Settings },
): Promise<BatchRow> {
  return submit(deps, {
    workload: workload === 'echo' ? echo : other,
    lane,
    source: { kind: 'http', name: 'test' },
    body: (async function* () {
      yield Buffer.from(text);
    })(),
    format: 'ndjson',
    encoding: 'identity',
    limits,
  });
}

interface Worker {
  deps: FinalizeDeps;
  processor: ItemsRoundDeps['processor'];
}

async function workOn(worker: Worker, batch: string, limit = Number.POSITIVE_INFINITY): Promise<void> {
  const pending: ChunkRow[] = [];
  for await (const row of chunkRows(worker.deps.table, batch, { state: 'pending' })) pending.push(row);
  for (const row of pending.slice(0, limit)) {
    const header = await process(worker, row);
    await collectBatch(worker.deps, batch, {
      workload: row.reference.workload,
      outcomes: [{ chunk: row.chunk, header, message: row.chunk, operations: { 'blob.put': 1 } }],
    });
  }
}

/** Makes a retry due immediately, so that no test waits. */
async function process({ deps, processor }: Worker, { reference, dueAt }: ChunkRow): Promise<OutcomeHeader> {
  const frame = await readRange(deps.container(reference.container), reference);
  if (!frame) throw new Error(`No payload for chunk ${reference.chunk}.`);
  const nowMs = dueAt === undefined ? deps.gate.now() : Date.parse(dueAt);
  const outcome = await processor.process({ reference, frame, nowMs });
  return (await putOutcome(deps.container(CONTAINERS.results), reference, outcome)).header;
}
