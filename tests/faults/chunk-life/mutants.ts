/** The life of a chunk with one rule removed at a time; the scenario beside each must detect it. */
import type { UpdateMode } from '@azure/data-tables';
import type { ContainerClient } from '@azure/storage-blob';
import { followUps } from '../../../shared/batches/apply/follow-ups.ts';
import { BATCH_ROW_KEY } from '../../../shared/batches/batch-row.ts';
import { chunkRowKey, fromChunkEntity } from '../../../shared/batches/chunk-row.ts';
import { chunkRows } from '../../../shared/batches/ledger.ts';
import { type Reference, readResult } from '../../../shared/contract/reference.ts';
import type { Queue } from '../../../shared/queues/messages.ts';
import type { StoredEntity } from '../../../shared/storage/entity.ts';
import { readEntity, type Table } from '../../../shared/storage/table.ts';
import { readChunkReference } from '../../helpers/data/factories.ts';
import { ITEMS_QUEUE, RESULTS_QUEUE } from './handler.ts';
import { BATCH, type Change } from './programs.ts';
import type { Scenario } from './run.ts';
import { gatesOf, type Tools } from './tools.ts';

export interface Mutant {
  name: string;
  change: Change;
  scenario: Scenario;
  finds: RegExp;
}

type Action = [string, Record<string, unknown>, ...unknown[]];
type Transaction = (actions: Action[]) => Promise<unknown>;

const withTransaction = (tools: Tools, wrap: (submit: Transaction) => Transaction): Tools => {
  const submit = tools.table.submitTransaction as unknown as Transaction;
  return { ...tools, table: { ...tools.table, submitTransaction: wrap(submit) } as unknown as Table };
};

const withQueue = (tools: Tools, wrap: (queue: Queue) => Partial<Queue>): Tools => ({
  ...tools,
  queues: (name) => {
    const queue = tools.queues(name);
    return { ...queue, ...wrap(queue) } as Queue;
  },
});

const anyEtag: Change = (tools) =>
  withTransaction(
    tools,
    (submit) => (actions) =>
      submit(
        actions.map(([kind, entity, mode]) =>
          kind === 'update' ? [kind, entity, mode, { etag: '*' }] : [kind, entity],
        ),
      ),
  );

/**
 * If the same end is collected twice, two chunks are inserted, because the second name is not derived from the first.
 */
const freshRetryIds: Change = (tools, role, { ask }) => {
  if (role !== 'collector') return tools;
  const names = new Map<string, string>();
  const renamed = (chunk: string): string => names.get(chunk) ?? chunk;
  const table = withTransaction(tools, (submit) => async (actions) => {
    for (const [kind, { rowKey }] of actions) {
      const chunk = String(rowKey).slice(2);
      if (kind === 'create' && !names.has(chunk)) names.set(chunk, `${chunk}x${String(await ask('fresh'))}`);
    }
    return submit(actions.map((action) => renameRow(action, renamed)));
  });
  return withQueue(table, (queue) => ({
    sendMessage: ((text: string) => {
      const reference = readChunkReference(text);
      return queue.sendMessage(JSON.stringify({ ...reference, chunk: renamed(reference.chunk) }));
    }) as Queue['sendMessage'],
  }));
};

function renameRow([kind, entity, ...rest]: Action, renamed: (chunk: string) => string): Action {
  if (kind !== 'create') return [kind, entity, ...rest];
  const chunk = renamed(String(entity.rowKey).slice(2));
  const reference = JSON.parse(String(entity.reference)) as Reference;
  return [kind, { ...entity, rowKey: `c.${chunk}`, reference: JSON.stringify({ ...reference, chunk }) }];
}

/**
 * The worker puts the follow-ups of its outcome before the ledger contains them; the collector does not put them again.
 */
const followUpsByWorker: Change = (tools, role) =>
  withQueue(tools, (queue) => ({
    sendMessage: (async (text: string) => {
      if (role === 'collector' && queue.name === ITEMS_QUEUE) return {};
      const ends = role === 'worker' ? readResult(text).chunks : [];
      for (const { chunk, header } of ends) {
        const entity = await readEntity(tools.table, BATCH, chunkRowKey(chunk));
        const rows = entity ? followUps(fromChunkEntity(entity as never).row.reference, header) : [];
        for (const { reference } of rows) {
          await tools.queues(ITEMS_QUEUE).sendMessage(JSON.stringify(reference));
        }
      }
      return queue.sendMessage(text);
    }) as unknown as Queue['sendMessage'],
  }));

/** The reference is deleted first, and the result message put afterwards. */
const deleteFirst: Change = (tools, role) => {
  if (role !== 'worker') return tools;
  const held: (() => Promise<unknown>)[] = [];
  return withQueue(tools, (queue) => ({
    sendMessage: (async (text: string) => {
      if (queue.name !== RESULTS_QUEUE) return queue.sendMessage(text);
      held.push(() => queue.sendMessage(text));
      return {};
    }) as unknown as Queue['sendMessage'],
    deleteMessage: (async (id: string, receipt: string) => {
      const answer = await queue.deleteMessage(id, receipt);
      for (const send of held.splice(0)) await send();
      return answer;
    }) as Queue['deleteMessage'],
  }));
};

/** The second outcome of a chunk replaces the first. */
const lastWriterWins: Change = (tools) => ({
  ...tools,
  container: (name) => {
    const container = tools.container(name);
    const getBlockBlobClient = (blob: string) => {
      const client = container.getBlockBlobClient(blob);
      const upload = (body: Buffer, length: number, options: object) =>
        client.upload(body, length, name === 'results' ? { ...options, conditions: {} } : options);
      return { ...client, upload };
    };
    return { ...container, getBlockBlobClient } as unknown as ContainerClient;
  },
});

/** Rows of follow-ups are inserted after the transaction that ends their parent. */
const rowsAfterwards: Change = (tools) =>
  withTransaction(tools, (submit) => async (actions) => {
    const answer = await submit(actions.filter(([kind]) => kind !== 'create'));
    const created = actions.filter(([kind]) => kind === 'create');
    if (created.length > 0) await submit(created);
    return answer;
  });

/** A result message is deleted when its ends are in the ledger, before the follow-ups have references. */
const resultDeletedFirst: Change = (tools, role) => {
  if (role !== 'collector') return tools;
  const held: (() => Promise<unknown>)[] = [];
  return withQueue(tools, (queue) => ({
    sendMessage: (async (text: string) => {
      held.push(() => queue.sendMessage(text));
      return {};
    }) as unknown as Queue['sendMessage'],
    deleteMessage: (async (id: string, receipt: string) => {
      const answer = await queue.deleteMessage(id, receipt);
      for (const send of held.splice(0)) await send();
      return answer;
    }) as Queue['deleteMessage'],
  }));
};

/** Treats an end that is already in the ledger as missing, and applies it to the current row. */
const doneCountsAgain: Change = (tools) => {
  const listEntities = async function* (options: Parameters<Table['listEntities']>[0]) {
    for await (const entity of tools.table.listEntities(options)) {
      yield entity.state === 'done' ? { ...entity, state: 'pending' } : entity;
    }
  };
  return { ...tools, table: { ...tools.table, listEntities } as unknown as Table };
};

/** Rows are read without the message that ended a chunk: only the delivery that ended it publishes its dead letters. */
const endsForgotten: Change = (tools) => {
  const listEntities = async function* (options: Parameters<Table['listEntities']>[0]) {
    for await (const { endedBy: _endedBy, ...entity } of tools.table.listEntities(options)) yield entity;
  };
  return { ...tools, table: { ...tools.table, listEntities } as unknown as Table };
};

/** A cancel ends every pending chunk, even if a worker runs it. */
const cancelsWhatRuns: Change = (tools, role) =>
  role === 'canceller' ? { ...tools, gates: gatesOf({ ask: async () => 'idle' }) } : tools;

/** The references are put first, and the state changes afterwards. */
const resumePutsFirst: Change = (tools, role) => {
  if (role !== 'resumer') return tools;
  let isFirst = true;
  const updateEntity = (async (...args: Parameters<Table['updateEntity']>) => {
    if (!isFirst) return tools.table.updateEntity(...args);
    isFirst = false;
    for await (const row of chunkRows(tools.table, BATCH, { state: 'pending' }))
      await tools.queues(ITEMS_QUEUE).sendMessage(JSON.stringify({ ...row.reference, resent: true }));
    return tools.table.updateEntity(...args);
  }) as Table['updateEntity'];
  const silent = withQueue(tools, () => ({ sendMessage: (async () => ({})) as unknown as Queue['sendMessage'] }));
  return { ...silent, table: { ...tools.table, updateEntity } as unknown as Table };
};

/**
 * The mark of a resume is deleted when the state has changed. If the process dies then, no record shows that references
 * are missing.
 */
const resumeForgotten: Change = (tools, role) => {
  if (role !== 'resumer') return tools;
  const updateEntity = (({ resumingAt: _mark, ...entity }: StoredEntity, ...rest: [UpdateMode, object]) =>
    tools.table.updateEntity(entity as StoredEntity, ...rest)) as Table['updateEntity'];
  return { ...tools, table: { ...tools.table, updateEntity } as unknown as Table };
};

/** A worker that has once read the batch as paused may use that value later. */
const pauseCached: Change = (tools, role, { ask }) => {
  if (role !== 'worker') return tools;
  const getEntity = (async (partition: string, row: string) => {
    const entity = await tools.table.getEntity(partition, row);
    return row === BATCH_ROW_KEY ? { ...entity, state: await ask('believe', entity.state) } : entity;
  }) as Table['getEntity'];
  return { ...tools, table: { ...tools.table, getEntity } as unknown as Table };
};

export const MUTANTS: Mutant[] = [
  {
    name: 'a cancel ends chunks that are running',
    change: cancelsWhatRuns,
    scenario: { items: 2, limits: { worker: 1 }, budget: { cancel: 1 } },
    finds: /finished items are dropped/,
  },
  {
    name: 'a resume puts the references before it changes the state',
    change: resumePutsFirst,
    scenario: { items: 1, limits: { worker: 1 }, budget: { pause: 1 } },
    finds: /lost/,
  },
  {
    name: 'a resume leaves no mark for the sweep',
    change: resumeForgotten,
    scenario: { items: 1, limits: { worker: 1 }, mortal: ['resumer'], budget: { pause: 1, crash: 1 } },
    finds: /lost/,
  },
  {
    name: 'a worker takes the state paused from its cache',
    change: pauseCached,
    scenario: { items: 1, limits: { worker: 1 }, budget: { pause: 1 } },
    finds: /lost/,
  },
  {
    name: 'rows are merged whatever their ETag',
    change: anyEtag,
    scenario: { items: 2, starts: 2, limits: { worker: 1, collector: 2 } },
    finds: /law is broken/,
  },
  {
    name: 'retries get fresh ids',
    change: freshRetryIds,
    scenario: { items: 3, budget: { crash: 1 } },
    finds: /lost/,
  },
  {
    name: 'the worker puts the references of what follows',
    change: followUpsByWorker,
    scenario: { items: 3 },
    finds: /lost|stuck/,
  },
  {
    name: 'the reference is deleted before the result message is put',
    change: deleteFirst,
    scenario: { items: 1, budget: { crash: 1 } },
    finds: /lost/,
  },
  {
    name: 'a second outcome overwrites the first',
    change: lastWriterWins,
    scenario: { items: 2, budget: { redeliver: 1, whim: 1 } },
    // The ledger contains the header of the first outcome, but the bytes of the second, so a report of them is
    // impossible.
    finds: /the report is not there|double count/,
  },
  {
    name: 'what follows is inserted after the transaction',
    change: rowsAfterwards,
    scenario: { items: 3 },
    finds: /law is broken|early completion/,
  },
  {
    name: 'the result message is deleted before the references are put',
    change: resultDeletedFirst,
    scenario: { items: 3, budget: { crash: 1 } },
    finds: /lost/,
  },
  {
    name: 'an end that is repeated counts again',
    change: doneCountsAgain,
    scenario: { items: 2, budget: { redeliver: 1 } },
    finds: /law is broken/,
  },
  {
    name: 'dead letters are published by the first delivery of their result only',
    change: endsForgotten,
    scenario: { items: 2, budget: { crash: 1 } },
    finds: /unpublished/,
  },
];
