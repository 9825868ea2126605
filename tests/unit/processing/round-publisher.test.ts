import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Operations } from '../../../shared/contract/operations.ts';
import { type Reference, readResult } from '../../../shared/contract/reference.ts';
import type { Lease } from '../../../shared/processing/lease.ts';
import type { ChunkDisposition, PublishResultsDeps } from '../../../shared/processing/publish-results.ts';
import { createRoundPublisher } from '../../../shared/processing/round-publisher.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import type { Entry } from '../../../shared/wake/messages.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { createRegistry, type QueueAddress } from '../../../shared/workload/registry.ts';
import { BATCH, chunkJob } from '../../helpers/chunks.ts';
import { messageOf, serviceError } from '../../helpers/factories.ts';
import { SILENT_LOG } from '../../helpers/silent-log.ts';
import { uncounted } from '../../helpers/spending.ts';

const registry = createRegistry([
  defineWorkload({ name: 'billing', version: 1, item: z.unknown(), map: (item) => item }),
]);
const address = registry.queue('billing-normal-0') as QueueAddress;

/** A round whose clock and results queue the test holds. */
function world() {
  const messages: { chunks: string[]; operations: Operations }[] = [];
  const finished: string[] = [];
  let [nowMs, isOut] = [0, false];
  const queue = {
    sendMessage: async (text: string) => {
      if (isOut) throw serviceError(503);
      const { chunks, operations } = readResult(text);
      messages.push({ chunks: chunks.map(({ chunk }) => chunk), operations });
    },
  };
  const deps = {
    ...{ queues: () => queue, publish: async () => {}, registry },
    gate: { now: () => nowMs },
    ...uncounted(),
  } as unknown as PublishResultsDeps;
  const lease = { finish: async (id: string) => void finished.push(id) } as unknown as Lease;
  const options = { lease, generation: 7, trace: undefined, operations: { 'blob.get': 1 } };
  const publisher = createRoundPublisher(deps, address, options);
  const end = (chunk: string, atMs: number): Promise<void> => {
    nowMs = atMs;
    const { reference } = chunkJob([1], { workload: 'billing', version: 1, chunk });
    const entry: Entry<Reference> = { message: messageOf('', { messageId: chunk }), value: reference };
    const counts = { items: 1, succeeded: 1, dead: 0, cancelled: 0, retried: 0 };
    const header = { v: 1, ending: 'processed', counts, handlerSeconds: 0 } as const;
    const disposition: ChunkDisposition = { end: { batch: BATCH, chunk, header } };
    return publisher.add(entry, disposition, { 'blob.put': 1 });
  };
  return { messages, finished, publisher, end, setOutage: (out: boolean) => (isOut = out) };
}

test('a short round is told in one message', async () => {
  const { messages, publisher, end } = world();
  await end('a', 1_000);
  await end('b', 4_999);
  expect(messages).toEqual([]);
  await publisher.publish();
  expect(messages).toMatchObject([{ chunks: ['a', 'b'], operations: { 'blob.get': 1, 'blob.put': 2 } }]);
});

test('in a long one what has ended is told, and its references deleted, before the rest ends', async () => {
  const { messages, finished, publisher, end } = world();
  await end('a', 2_000);
  await end('b', 5_000);
  expect(messages).toMatchObject([{ chunks: ['a', 'b'] }]);
  expect(finished).toEqual(['a', 'b']);
  await end('c', 9_000);
  await publisher.publish();
  expect(messages[1]).toMatchObject({ chunks: ['c'], operations: { 'blob.put': 1 } });
  expect(messages[1]?.operations).not.toHaveProperty('blob.get');
});

test('what could not be told then is told with the rest, and its references stay until then', async () => {
  const { messages, finished, publisher, end, setOutage } = world();
  setOutage(true);
  await withLog(SILENT_LOG, () => end('a', 6_000));
  expect([messages, finished]).toEqual([[], []]);
  setOutage(false);
  await end('b', 7_000);
  await publisher.publish();
  expect(messages).toMatchObject([{ chunks: ['a', 'b'], operations: { 'blob.get': 1, 'blob.put': 2 } }]);
});
