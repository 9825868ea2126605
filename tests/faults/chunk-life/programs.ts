/** The real rounds, cancel, redrive and resending as programs of the explorer. */
import type { DequeuedMessageItem } from '@azure/storage-queue';
import type { ChunkRow } from '../../../shared/batches/chunk-row.ts';
import { chunkRows, readBatch } from '../../../shared/batches/ledger.ts';
import { readOpen } from '../../../shared/batches/open-rows.ts';
import { cancelBatch } from '../../../shared/commands/cancel.ts';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import { createItemsRound } from '../../../shared/processing/items-round.ts';
import { createSharedLock } from '../../../shared/processing/shared-lock.ts';
import { createCollectRound } from '../../../shared/results/collect-round.ts';
import type { FinalizeDeps } from '../../../shared/results/finalize.ts';
import type { Table } from '../../../shared/storage/table.ts';
import { repairBatch } from '../../../shared/sweep/repair-batch.ts';
import { DEFAULT_PATIENCE, type SweepRun } from '../../../shared/sweep/run.ts';
import { enqueue } from '../../../shared/wake/enqueue.ts';
import type { QueueAddress } from '../../../shared/workload/registry.ts';
import type { Asker, Program } from '../explorer/programs.ts';
import { ITEMS_QUEUE, processChunk, RESULTS_QUEUE, registry, type Whim } from './handler.ts';
import { type Tools, toolsOf } from './tools.ts';

export const BATCH = '01985a00-0000-7000-8000-000000000000';
export type Role = 'worker' | 'collector' | 'canceller' | 'redriver' | 'resender' | 'sweeper';

/** Changes what a role is given: a mutant. */
export type Change = (tools: Tools, role: Role, asker: Asker) => Tools;

const VISIBILITY_SECONDS = 300;
const items = registry.queue(ITEMS_QUEUE) as QueueAddress;
const results = registry.queue(RESULTS_QUEUE) as QueueAddress;
const meter: FinalizeDeps['meter'] = { measure: async (fn) => ({ value: await fn(), operations: {} }) };

/** Due times are noted on the gate; nothing here looks at it, for no rule of the data depends on it. */
const NO_GATE = {
  getEntity: () => Promise.reject(Object.assign(new Error('none'), { statusCode: 404, code: 'ResourceNotFound' })),
  createEntity: () => Promise.resolve({}),
} as unknown as Table;

function depsOf(asker: Asker, tools: Tools): FinalizeDeps {
  return {
    ...tools,
    registry,
    meter,
    gate: { table: NO_GATE, now: asker.now },
    visibilitySeconds: VISIBILITY_SECONDS,
    addressOf: () => items,
    publish: async (_address, { type, items = 0 }, { messageId = '' } = {}) => {
      if (type === 'BatchCompleted') await asker.ask('announce');
      if (type === 'ItemsDeadLettered') await asker.ask('announceDead', messageId, items);
    },
  };
}

/** The part of a sweep that brings a batch to its end, without patience. */
const sweepOf = (deps: FinalizeDeps): SweepRun =>
  ({ ...deps, counts: {}, unheard: new Set(), endMs: Number.MAX_SAFE_INTEGER, patient: DEFAULT_PATIENCE }) as never;

/** The programs of one exploration. */
export function chunkPrograms(change: Change = (tools) => tools): Record<Role, Program> {
  const as =
    (role: Role, run: (deps: FinalizeDeps, asker: Asker, input: never) => Promise<unknown>): Program =>
    (asker, input) =>
      run(depsOf(asker, change(toolsOf(asker), role, asker)), asker, input);
  return {
    worker: as('worker', async (deps, asker, { message }: { message: DequeuedMessageItem }) => {
      const process = async (job: Parameters<typeof processChunk>[0]) =>
        processChunk(job, (await asker.ask('process', job.reference.chunk)) as Whim);
      const batchState = async (batch: string) => (await readBatch(deps.table, batch))?.row.state;
      const round = createItemsRound(
        { ...deps, batchState, processor: { process, threads: 1 }, lock: createSharedLock() },
        items,
      );
      await round([message]);
    }),
    collector: as('collector', async (deps, _asker, { message }: { message: DequeuedMessageItem }) => {
      await createCollectRound(deps, results)([message]);
    }),
    canceller: as('canceller', (deps) => cancelBatch(deps, BATCH)),
    redriver: as('redriver', (deps) => redrive(deps, { batch: BATCH, key: 'k', selection: {} })),
    resender: as('resender', async (deps) => {
      const rows: ChunkRow[] = [];
      for await (const { row } of chunkRows(deps.table, BATCH, 'pending')) rows.push(row);
      await enqueue(deps, { id: BATCH, workload: 'w', lane: 'n' }, rows, { resent: true });
    }),
    sweeper: as('sweeper', async (deps) => {
      for (const open of (await readOpen(deps.table)).batches) await repairBatch(sweepOf(deps), open);
    }),
  };
}
