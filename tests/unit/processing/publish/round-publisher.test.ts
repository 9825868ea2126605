import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type Reference, readResult } from '../../../../shared/contract/reference.ts';
import { readGate } from '../../../../shared/gate/gate-store.ts';
import type { Lease } from '../../../../shared/processing/lease.ts';
import type { CollectHereDeps, CollectOutcomes } from '../../../../shared/processing/publish/collect-here.ts';
import type { ChunkDisposition, PublishResultsDeps } from '../../../../shared/processing/publish/publish-results.ts';
import { createRoundPublisher } from '../../../../shared/processing/publish/round-publisher.ts';
import type { Entry } from '../../../../shared/queues/messages.ts';
import { withLog } from '../../../../shared/telemetry/log.ts';
import { defineWorkload } from '../../../../shared/workload/define.ts';
import { createRegistry, type QueueAddress } from '../../../../shared/workload/registry.ts';
import { BATCH, chunkJob } from '../../../helpers/data/chunks.ts';
import { messageOf, serviceError } from '../../../helpers/data/factories.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';
import { SILENT_LOG } from '../../../helpers/fakes/silent-log.ts';

const registry = createRegistry([
  defineWorkload({ name: 'billing', version: 1, item: z.unknown(), map: (item) => item }),
]);
const address = registry.queue('billing-normal-0') as QueueAddress;

const OTHER = '01985a00-0000-7000-8000-000000000001';
const LARGE = '01985a00-0000-7000-8000-000000000002';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** A round whose clock and results queue are controlled by the test. */
function world() {
  const messages: { chunks: string[] }[] = [];
  const deleted: string[] = [];
  const collected: { batch: string; chunks: string[] }[] = [];
  const returned: unknown[][] = [];
  const gates = memoryTable().table;
  let [nowMs, isOut] = [0, false];
  let fault = serviceError(503);
  let slow = Promise.resolve();
  const queue = {
    sendMessage: async (text: string) => {
      const fails = isOut;
      await slow;
      if (fails) throw serviceError(503);
      messages.push({ chunks: readResult(text).chunks.map(({ chunk }) => chunk) });
    },
  };
  const deps = {
    ...{ queues: () => queue, publish: async () => {}, registry },
    gate: { table: gates, now: () => nowMs },
    collectOutcomes: async (batch: string, { outcomes }: Parameters<CollectOutcomes>[1]) => {
      if (isOut) throw fault;
      collected.push({ batch, chunks: outcomes.map(({ chunk }) => chunk) });
    },
  } as unknown as PublishResultsDeps & CollectHereDeps;
  const lease = {
    delete: async (id: string) => void deleted.push(id),
    returnToQueue: async (...args: unknown[]) => void returned.push(args),
  } as unknown as Lease;
  const publisher = createRoundPublisher(deps, address, { lease, trace: undefined });
  const end = (
    chunk: string,
    atMs: number,
    { batch = BATCH, pending }: { batch?: string; pending?: number } = {},
  ): Promise<void> => {
    nowMs = atMs;
    const { reference } = chunkJob([1], { workload: 'billing', version: 1, chunk });
    const entry: Entry<Reference> = { message: messageOf('', { messageId: chunk }), value: reference };
    const counts = { items: 1, succeeded: 1, dead: 0, cancelled: 0, retried: 0 };
    const header = { v: 1, ending: 'processed', counts, handlerSeconds: 0 } as const;
    const disposition: ChunkDisposition = { done: { batch, chunk, header }, pending };
    return publisher.add(entry, disposition);
  };
  return {
    ...{ messages, deleted, returned, collected, publisher, end },
    /** Lets time pass, in steps of a second. */
    pass: async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) {
        nowMs += 1_000;
        await withLog(SILENT_LOG, () => vi.advanceTimersByTimeAsync(1_000));
      }
    },
    /** When references become visible, as recorded in the gate. */
    due: async () => (await readGate(gates, address.queue)).row.due,
    /** Delays answers of the result queue until the returned function is called. */
    setSlow: () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      slow = promise;
      return resolve;
    },
    setOutage: (out: boolean, error = serviceError(503)) => ([isOut, fault] = [out, error]),
  };
}

test('a short round is published in one message', async () => {
  const { messages, publisher, end } = world();
  await end('a', 1_000);
  await end('b', 4_999);
  expect(messages).toEqual([]);
  await publisher.publish();
  expect(messages).toMatchObject([{ chunks: ['a', 'b'] }]);
});

test('a long round publishes chunks that have ended, and deletes their references, before the rest ends', async () => {
  const { messages, deleted, publisher, end } = world();
  await end('a', 2_000);
  await end('b', 5_000);
  expect(messages).toMatchObject([{ chunks: ['a', 'b'] }]);
  expect(deleted).toEqual(['a', 'b']);
  await end('c', 9_000);
  await publisher.publish();
  expect(messages[1]).toMatchObject({ chunks: ['c'] });
});

describe('while a long chunk runs', () => {
  test('chunks that have ended are published five seconds after the last time', async () => {
    const { messages, deleted, publisher, end, pass } = world();
    await end('a', 2_000);
    await end('b', 3_000);
    await pass(1);
    expect(messages).toEqual([]);
    await pass(1);
    expect(messages).toMatchObject([{ chunks: ['a', 'b'] }]);
    expect(deleted).toEqual(['a', 'b']);
    await pass(60);
    await end('c', 65_000);
    await publisher.publish();
    expect(messages.map(({ chunks }) => chunks)).toEqual([['a', 'b'], ['c']]);
  });

  test('results that could not be published are tried again five seconds later', async () => {
    const { messages, deleted, end, pass, setOutage } = world();
    setOutage(true);
    await end('a', 4_000);
    await pass(2);
    setOutage(false);
    expect([messages, deleted]).toEqual([[], []]);
    await pass(5);
    expect(messages).toMatchObject([{ chunks: ['a'] }]);
    expect(deleted).toEqual(['a']);
  });

  test('the end of the round waits for them, so that none is left behind when they could not be published', async () => {
    const { messages, publisher, end, pass, setSlow, setOutage } = world();
    const answer = setSlow();
    setOutage(true);
    await end('a', 4_000);
    await pass(1);
    const last = publisher.publish();
    setOutage(false);
    answer();
    await last;
    expect(messages).toMatchObject([{ chunks: ['a'] }]);
  });
});

test('no timer is left after the last results, or after a round that failed', async () => {
  const [ended, failed] = [world(), world()];
  await ended.publisher.publish();
  failed.publisher.stop();
  expect(vi.getTimerCount()).toBe(0);
});

test('results that could not be published are published with the rest, and their references stay until then', async () => {
  const { messages, deleted, publisher, end, setOutage } = world();
  setOutage(true);
  await withLog(SILENT_LOG, () => end('a', 6_000));
  expect([messages, deleted]).toEqual([[], []]);
  setOutage(false);
  await end('b', 7_000);
  await publisher.publish();
  expect(messages).toMatchObject([{ chunks: ['a', 'b'] }]);
});

describe('a small batch without other pending chunks', () => {
  test('is collected here, with the ids of its messages, before its references are deleted', async () => {
    const { messages, collected, deleted, publisher, end } = world();
    await end('a', 0, { pending: 2 });
    await end('b', 0, { pending: 2 });
    await publisher.publish();

    expect(collected).toEqual([{ batch: BATCH, chunks: ['a', 'b'] }]);
    expect([messages, deleted]).toEqual([[], ['a', 'b']]);
  });

  test('leaves the other chunks of its round to a result message', async () => {
    const { messages, collected, deleted, publisher, end } = world();
    await end('a', 0, { pending: 1 });
    await end('b', 0, { batch: OTHER, pending: 2 });
    await end('c', 0, { batch: LARGE });
    await publisher.publish();

    expect(collected.map(({ chunks }) => chunks)).toEqual([['a']]);
    expect(messages).toMatchObject([{ chunks: ['b', 'c'] }]);
    expect(deleted).toEqual(['a', 'b', 'c']);
  });

  test('is not taken for ended when the same chunk has ended twice', async () => {
    const { messages, collected, publisher, end } = world();
    await end('a', 0, { pending: 2 });
    await end('a', 0, { pending: 2 });
    await publisher.publish();

    expect([collected, messages.length]).toEqual([[], 1]);
  });

  test('keeps its references while storage is unavailable: they are visible again in five seconds', async () => {
    const { messages, deleted, returned, due, publisher, end, setOutage } = world();
    setOutage(true);
    await end('a', 0, { pending: 2 });
    await end('b', 0, { pending: 2 });
    await withLog(SILENT_LOG, () => publisher.publish());
    setOutage(false);

    await publisher.publish();

    expect([messages, deleted]).toEqual([[], []]);
    expect(returned).toEqual([
      ['a', 5, undefined],
      ['b', 5, undefined],
    ]);
    expect(await due()).toEqual(['1970-01-01T00:00:05.000Z']);
  });

  test('that fails for another reason than an outage waits until its references become visible by themselves', async () => {
    const { deleted, returned, publisher, end, setOutage } = world();
    setOutage(true, serviceError(400));
    await end('a', 0, { pending: 1 });

    await withLog(SILENT_LOG, () => publisher.publish());

    expect([deleted, returned]).toEqual([[], []]);
  });
});
