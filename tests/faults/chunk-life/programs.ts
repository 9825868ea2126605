/** The real rounds, cancel, redrive, discard and resending as programs of the explorer. */
import type { DequeuedMessageItem } from '@azure/storage-queue';
import type { ChunkRow } from '../../../shared/batches/chunk-row.ts';
import { chunkRows, readBatch } from '../../../shared/batches/ledger.ts';
import { readOpen } from '../../../shared/batches/listing/open-rows.ts';
import { cancelBatch } from '../../../shared/commands/cancel.ts';
import { pauseBatch, resumeBatch } from '../../../shared/commands/pause.ts';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import type { SluiceEvent } from '../../../shared/contract/events.ts';
import { createMeter } from '../../../shared/cost/meter.ts';
import { createPipeline, type Pipeline, type PipelineClients } from '../../../shared/pipeline.ts';
import { NotBegunError } from '../../../shared/processing/threads/errors.ts';
import { enqueue } from '../../../shared/queues/enqueue.ts';
import type { FinalizeDeps } from '../../../shared/results/finalize.ts';
import { readSettings } from '../../../shared/settings.ts';
import { repairBatch } from '../../../shared/sweep/repair-batch.ts';
import { DEFAULT_PATIENCE, type SweepRun } from '../../../shared/sweep/sweep-run.ts';
import type { HaltRule } from '../../../shared/workload/define.ts';
import type { QueueAddress, Registry } from '../../../shared/workload/registry.ts';
import { connectionsTo } from '../../helpers/fakes/connections.ts';
import { HOST } from '../../helpers/fakes/host-limits.ts';
import type { Asker, Program } from '../explorer/programs.ts';
import { ITEMS_QUEUE, processChunk, RESULTS_QUEUE, registryOf, type Whim } from './handler.ts';
import { type Tools, toolsOf } from './tools.ts';

export const BATCH = '01985a00-0000-7000-8000-000000000000';
export type Role =
  | 'worker'
  | 'collector'
  | 'canceller'
  | 'pauser'
  | 'resumer'
  | 'redriver'
  | 'discarder'
  | 'resender'
  | 'sweeper';

/** Replaces what a role receives: a mutant. */
export type Change = (tools: Tools, role: Role, asker: Asker) => Tools;

const settings = readSettings({ ...connectionsTo('none'), SLUICE_VISIBILITY_SECONDS: '300' });

/** Promised events are steps of the exploration. Wakes are not, because every message is found here. */
const topicOf = ({ ask }: Asker): PipelineClients['topic'] => ({
  sendMessages: async (message) => {
    const { messageId, body } = message as { messageId: string; body: SluiceEvent };
    if (body.type === 'BatchCompleted') await ask('announce');
    if (body.type === 'ItemsDeadLettered') await ask('announceDead', messageId, body.items);
  },
});

interface PipelineParts {
  registry: Registry;
  tools: Tools;
  maxChunksCollected: number;
}

function pipelineOf(asker: Asker, { registry, tools, maxChunksCollected }: PipelineParts): Pipeline {
  const { table, gates, queues, container } = tools;
  const clients = {
    account: 'account',
    batches: table,
    gates,
    queue: queues,
    container,
    topic: topicOf(asker),
    meter: { ...createMeter(), serviceNowMs: asker.now },
  } as unknown as PipelineClients;
  const process = async (job: Parameters<typeof processChunk>[0]) => {
    const whim = (await asker.ask('process', job.reference.chunk)) as Whim | 'busy';
    if (whim === 'busy') throw new NotBegunError('All threads are busy.');
    return processChunk(job, whim);
  };
  const processor = { process, threads: 1 };
  return createPipeline({ settings, registry, host: HOST, clients, processor, maxChunksCollected });
}

const HOUR_MS = 3_600_000;
/** The part of a sweep that finishes a batch. It runs an hour later than the others, so it waits for nothing. */
const sweepOf = (deps: FinalizeDeps): SweepRun =>
  ({
    ...deps,
    gate: { ...deps.gate, now: () => deps.gate.now() + HOUR_MS },
    ...{ counts: {}, unpublishedWakes: new Set(), endMs: Number.MAX_SAFE_INTEGER, patient: DEFAULT_PATIENCE },
  }) as never;

export interface ProgramOptions {
  /** Defaults to none. */
  change?: Change | undefined;
  halt?: HaltRule | undefined;
  /** Whether the worker that ends the last chunk collects the batch. By default, a result message is collected. */
  collectsHere?: boolean;
}

/** The programs of one exploration. */
export function chunkPrograms(options: ProgramOptions = {}): Record<Role, Program> {
  const { change = (tools) => tools, halt, collectsHere = false } = options;
  const registry = registryOf(halt);
  const maxChunksCollected = collectsHere ? 32 : 0;
  const as =
    (role: Role, run: (pipeline: Pipeline, input: never) => Promise<unknown>): Program =>
    (asker, input) =>
      run(pipelineOf(asker, { registry, tools: change(toolsOf(asker), role, asker), maxChunksCollected }), input);
  const round =
    (queue: string) =>
    (pipeline: Pipeline, { message }: { message: DequeuedMessageItem }) =>
      pipeline.roundFor(registry.queue(queue) as QueueAddress)([message]);
  return {
    worker: as('worker', round(ITEMS_QUEUE)),
    collector: as('collector', round(RESULTS_QUEUE)),
    canceller: as('canceller', ({ deps }) => cancelBatch(deps(), BATCH)),
    pauser: as('pauser', ({ deps }) => pauseBatch(deps(), BATCH, { reason: 'look first' })),
    resumer: as('resumer', async ({ deps }) => {
      const since = (await readBatch(deps().table, BATCH))?.row.paused?.at ?? '';
      return resumeBatch(deps(), BATCH, { since });
    }),
    redriver: as('redriver', ({ deps }) => redrive(deps(), { batch: BATCH, key: 'k', selection: {} })),
    discarder: as('discarder', ({ deps }) =>
      redrive(deps(), { batch: BATCH, key: 'd', selection: { discard: 'test' } }),
    ),
    resender: as('resender', async ({ deps }) => {
      const rows: ChunkRow[] = [];
      for await (const row of chunkRows(deps().table, BATCH, { state: 'pending' })) rows.push(row);
      await enqueue(deps(), { id: BATCH, workload: 'w', lane: 'n' }, rows, { resent: true });
    }),
    sweeper: as('sweeper', async ({ deps }) => {
      for (const open of (await readOpen(deps().table)).batches) await repairBatch(sweepOf(deps()), open);
    }),
  };
}
