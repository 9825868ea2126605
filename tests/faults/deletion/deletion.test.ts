/**
 * A batch is deleted while another operation on it waits at one of its storage calls. Then the operation continues, and
 * nothing may be left: no blob, no row and no message. The first calls of every operation are tried, and then every third;
 * with SLUICE_FAULTS_DEEP, all.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { isFinished } from '../../../shared/batches/batch-row.ts';
import { changeBatch, readBatch } from '../../../shared/batches/ledger.ts';
import { cancelBatch } from '../../../shared/commands/cancel.ts';
import { clearQueue } from '../../../shared/commands/clear-queue.ts';
import { deleteBatch } from '../../../shared/commands/delete.ts';
import { pauseBatch, resumeBatch } from '../../../shared/commands/pause.ts';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import { changeGate } from '../../../shared/gate/gate-store.ts';
import { scanInbox } from '../../../shared/intake/inbox/inbox.ts';
import { readEntity } from '../../../shared/storage/table.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import type { QueueAddress } from '../../../shared/workload/registry.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';
import { registry } from '../../integration/in-process/echo.ts';
import { downstream, inventory, itemsOf, ndjson } from '../../integration/in-process/world.ts';
import { useInterrupted } from './interrupted.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ITEMS = 'echo-normal-0';
const RESULTS = 'echo-results';
/** Enough for two transactions of chunk rows. */
const MANY = 3 * 103;
/** Up to this call, a deletion comes at each call. */
const DENSE = 15;
/** Most of an operation's later calls are the same call for further rows. */
const STRIDE = process.env.SLUICE_FAULTS_DEEP === undefined ? 3 : 1;
const SMALL_PIECES = { rowsPerPiece: 2 };
const use = useInterrupted();
beforeEach(async () => {
  await use.world.reset();
  downstream.broken.clear();
});

const batchIds = async (): Promise<string[]> =>
  (await inventory(use.world.clients)).flatMap((name) => /^batches (\S+) batch$/.exec(name)?.[1] ?? []);

/** What all other processes do meanwhile: the sweep continues, the batch ends or is cancelled, and it is deleted. */
async function endAndDelete(): Promise<boolean> {
  const { world } = use;
  let isDeleted = false;
  for (const id of await batchIds()) {
    world.wait(3 * MINUTE);
    await sweep(world.deps);
    await world.drainAll();
    const row = (await readBatch(world.clients.batches, id))?.row;
    if (row && !isFinished(row.state)) {
      await cancelBatch(world.deps, id);
      world.wait(3 * MINUTE);
      await sweep(world.deps);
      await world.drainUnasked(RESULTS);
      await sweep(world.deps);
    }
    // The sweep may have completed a deletion that waits.
    isDeleted = !(await batchIds()).includes(id) || (await deleteBatch(world.deps, id));
  }
  return isDeleted;
}

/** Delivers what is left in the queues, and returns everything that exists. */
async function left(isDeleted: boolean): Promise<string[]> {
  const { world } = use;
  for (const queue of [ITEMS, RESULTS]) await world.drainUnasked(queue);
  if (!isDeleted) await endAndDelete();
  const messages: string[] = [];
  for (const queue of [ITEMS, RESULTS]) {
    for (const { messageText } of (await world.clients.queue(queue).peekMessages({ numberOfMessages: 32 }))
      .peekedMessageItems)
      messages.push(`${queue} ${messageText}`);
    await world.clients.queue(queue).clearMessages();
  }
  const rest: string[] = [];
  for (const name of await inventory(world.clients)) if (!(await isClaim(name))) rest.push(name);
  return [...rest, ...messages];
}

/** Whether it is the released key of an upload without a batch, which expires after seven days. */
async function isClaim(name: string): Promise<boolean> {
  const [where, keyRow = '', rowKey = ''] = name.split(' ');
  if (where !== 'keys') return false;
  const row = await readEntity(use.world.clients.keys, keyRow, rowKey);
  return row?.digest === undefined && row?.claimedUntil === new Date(0).toISOString();
}

interface Case {
  title: string;
  /** Prepares the batch; returns its id. */
  prepare?: () => Promise<string>;
  operation: (id: string) => Promise<unknown>;
  /** The first call that is tried; default 1. */
  from?: number;
  /** The distance of the calls that are tried after the first ones; default 3, or 1 with SLUICE_FAULTS_DEEP. */
  stride?: number;
  /** What happens before the end and the deletion, while the operation waits. */
  meanwhile?: (id: string) => Promise<unknown>;
}

const submitted = async (): Promise<string> => (await use.world.submit(itemsOf(9), { key: 'k' })).id;
const finished = async (): Promise<string> => {
  const id = await submitted();
  await use.world.drainAll();
  return id;
};
const withDead = async (): Promise<string> => {
  const id = await use.world.submitWithDead('a');
  use.world.topic.events.length = 0;
  return id;
};
const FILE = 'echo/file.ndjson';
const storeFile = async (): Promise<void> => {
  const text = ndjson(itemsOf(9));
  await use.world.clients.container('inbox').getBlockBlobClient(FILE).upload(text, text.length);
};
const addressOf = (queue: string): QueueAddress => registry.queue(queue) as QueueAddress;
const scan = () => scanInbox({ ...use.world.deps, settings: use.world.settings });

/** Another process that uses the same key, if the first upload is not accepted yet. */
const uploadAgain = (count: number) => async (): Promise<void> => {
  if ((await batchIds()).length > 0) return;
  use.world.wait(3 * MINUTE);
  await use.world.submit(itemsOf(count), { key: 'k' });
};

const CASES: Case[] = [
  {
    title: 'an upload, whose key another process uses meanwhile',
    operation: () => submitted(),
    meanwhile: uploadAgain(9),
    // Before its first call, it is a new upload after the deletion.
    from: 2,
  },
  {
    title: 'an upload of many chunks',
    operation: () => use.world.submit(itemsOf(MANY), { key: 'k' }),
    meanwhile: uploadAgain(MANY),
    from: 2,
    // Most calls are equal puts of references; the upload of few chunks has the others one by one.
    stride: 9,
  },
  {
    title: 'the scan of the inbox',
    prepare: async () => {
      await storeFile();
      return '';
    },
    operation: scan,
    meanwhile: async () => {
      use.world.wait(3 * MINUTE);
      await scan();
    },
  },
  {
    title: 'an upload in pieces',
    operation: () => use.world.submit(itemsOf(9), { key: 'k', deps: { ...use.world.deps, ...SMALL_PIECES } }),
    meanwhile: uploadAgain(9),
    from: 2,
  },
  {
    title: 'the adoption of a file that a message names',
    prepare: async () => {
      await storeFile();
      const message = { v: 2, workload: 'echo', producer: 'erp-1', blob: FILE };
      await use.world.clients.queue(ITEMS).sendMessage(JSON.stringify(message));
      return '';
    },
    operation: () => use.world.drainOne(ITEMS, 1),
  },
  {
    title: 'a round of items',
    prepare: submitted,
    operation: () => use.world.drainOne(ITEMS, 1),
  },
  {
    title: 'a round of several items',
    prepare: submitted,
    operation: () => use.world.drainOne(ITEMS, 32),
  },
  {
    title: 'a round of items that collects its batch itself',
    prepare: submitted,
    operation: () => use.collecting.drainOne(ITEMS, 32),
  },
  {
    title: 'a round of results',
    prepare: async () => {
      const id = await submitted();
      await use.world.drainUnasked(ITEMS);
      return id;
    },
    operation: () => use.world.drainOne(RESULTS, 32),
  },
  {
    title: 'a redrive',
    prepare: withDead,
    operation: (batch) => redrive(use.world.deps, { batch, key: 'r', selection: {} }),
  },
  {
    title: 'a redrive of the report alone',
    prepare: async () => {
      const id = await finished();
      const failed = { state: 'reportFailed', reportRevision: -1, reportProblem: 'merge failed' } as const;
      await changeBatch(use.world.clients.batches, id, () => failed);
      return id;
    },
    operation: (batch) => redrive(use.world.deps, { batch, key: 'r', selection: { report: true } }),
  },
  {
    title: 'a discard',
    prepare: withDead,
    operation: (batch) => redrive(use.world.deps, { batch, key: 'd', selection: { discard: 'not needed' } }),
  },
  {
    title: 'a cancel',
    prepare: submitted,
    operation: (id) => cancelBatch(use.world.deps, id),
  },
  {
    title: 'a pause and a resume',
    prepare: submitted,
    operation: async (id) => {
      const { paused } = await pauseBatch(use.world.deps, id, { reason: 'a test' });
      await resumeBatch(use.world.deps, id, { since: paused?.at ?? '' });
    },
  },
  {
    title: 'a queue that is cleared',
    prepare: async () => {
      const paused = { by: 'operator', reason: 'a test', since: new Date().toISOString() } as const;
      await changeGate(use.world.deps.gate.table, ITEMS, () => ({ paused }));
      return submitted();
    },
    operation: () =>
      clearQueue({ ...use.world.deps, queues: use.world.clients.queue }, addressOf(ITEMS), Number.POSITIVE_INFINITY),
  },
  {
    title: 'a sweep that deletes an expired batch',
    prepare: async () => {
      const id = await finished();
      await use.world.reset({ chores: true });
      use.world.wait(31 * DAY);
      return id;
    },
    operation: () => sweep(use.world.deps),
  },
  {
    title: 'another deletion',
    prepare: finished,
    operation: (id) => deleteBatch(use.world.deps, id),
  },
  {
    title: 'a sweep that announces an end',
    prepare: async () => {
      const id = await submitted();
      await use.world.drainUnasked(ITEMS);
      use.world.topic.broken = true;
      await use.world.drainUnasked(RESULTS);
      use.world.topic.broken = false;
      await use.world.clients.queue(RESULTS).clearMessages();
      use.world.wait(3 * MINUTE);
      return id;
    },
    operation: () => sweep(use.world.deps),
  },
  {
    title: 'a sweep that continues an intake',
    prepare: async () => {
      use.world.topic.broken = true;
      const id = await submitted();
      use.world.topic.broken = false;
      use.world.wait(3 * MINUTE);
      return id;
    },
    operation: () => sweep(use.world.deps),
  },
];

describe('a deletion', () => {
  it.each(CASES)(
    'leaves nothing, at whichever call of $title it comes',
    async ({ prepare, operation, meanwhile, from = 1, stride = STRIDE }) => {
      const problems: string[] = [];
      await withLog(SILENT_LOG, async () => {
        for (let at = from, isReached = true; isReached; at += at < DENSE ? 1 : stride) {
          const id = (await prepare?.()) ?? '';
          let error: unknown;
          let isDeleted = false;
          isReached = await use.run(
            () => operation(id),
            at,
            async () => {
              try {
                await meanwhile?.(id);
                isDeleted = await endAndDelete();
              } catch (e) {
                error = e;
              }
            },
          );
          const rest = await left(isDeleted);
          if (error) problems.push(`${use.call}: ${String(error)}`);
          if (rest.length > 0) problems.push(`${use.call}: ${rest.join(', ')}`);
          await clear();
        }
      });
      expect(problems).toEqual([]);
    },
  );
});

async function clear(): Promise<void> {
  const { world } = use;
  for (const name of await inventory(world.clients)) {
    const [where = '', first = '', second = ''] = name.split(' ');
    if (where === 'batches' || where === 'keys') await world.clients[where].deleteEntity(first, second);
    else await world.clients.container(where).getBlobClient(first).deleteIfExists();
  }
  for (const queue of [ITEMS, RESULTS]) await world.clients.queue(queue).clearMessages();
  await world.reset();
}
