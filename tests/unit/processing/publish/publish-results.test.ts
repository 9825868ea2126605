import { expect, test } from 'vitest';
import { addOperations, type Operations } from '../../../../shared/contract/operations.ts';
import { type DoneChunk, readResult } from '../../../../shared/contract/reference.ts';
import { addSpent, asInvocation, forBatch } from '../../../../shared/cost/account.ts';
import type { EventDetails, WorkPut } from '../../../../shared/events/publish.ts';
import type { Lease } from '../../../../shared/processing/lease.ts';
import {
  type ChunkDisposition,
  countWork,
  publishResults,
} from '../../../../shared/processing/publish/publish-results.ts';
import type { Queue } from '../../../../shared/queues/messages.ts';
import { withLog } from '../../../../shared/telemetry/log.ts';
import { createRegistry } from '../../../../shared/workload/registry.ts';
import { BATCH, headerOf, messageOf, referenceOf, serviceError } from '../../../helpers/data/factories.ts';
import { address } from '../../drain/drain-fixtures.ts';

const disposition = (chunk: string, fields: Parameters<typeof headerOf>[1] = {}): ChunkDisposition => ({
  done: { batch: BATCH, chunk, header: headerOf({ retried: 1 }, fields) },
});

/** What a queue does with the text of a message before it accepts it: nothing, unless a test refuses it. */
type Check = (text: string) => void;

/** Publishes the results of dispositions, and returns the calls that it made, in order. */
async function publishAll(dispositions: ChunkDisposition[], check: Check = () => {}) {
  const calls: string[] = [];
  const texts: string[] = [];
  const wakes: WorkPut[] = [];
  const lease = { delete: async (id: string) => void calls.push(`delete ${id}`) } as Partial<Lease> as Lease;
  const waiting = dispositions.map((disposition, index) => ({
    entry: { message: messageOf('', { messageId: `m${index}` }), value: referenceOf() },
    disposition,
  }));
  const queues = (name: string): Queue =>
    ({
      name,
      sendMessage: async (text: string) => {
        check(text);
        texts.push(text);
        calls.push(`put ${name}`);
      },
    }) as unknown as Queue;
  const deps = {
    queues,
    registry: createRegistry([address.workload]),
    gate: { now: () => Date.UTC(2026, 0, 1) },
    publish: async ({ queue }: { queue: string }, { items = -1, payloadBytes = -1 }: EventDetails) => {
      calls.push(`wake ${queue}`);
      wakes.push({ items, payloadBytes });
    },
  };
  let notStored: Operations = {};
  const lines: string[] = [];
  const heard = (line: string): void => void lines.push(line);
  await withLog({ debug: heard, info: heard, warn: heard, error: heard }, () =>
    asInvocation(
      async () => {
        await forBatch(BATCH, async () => addSpent({ 'blob.put': 2 }));
        await forBatch('another batch', async () => addSpent({ 'blob.put': 5 }));
        await publishResults(deps, address, waiting, lease);
      },
      (operations) => {
        notStored = addOperations(notStored, operations);
      },
    ),
  );
  return {
    calls,
    notStored,
    results: texts.map(readResult),
    texts,
    wakes,
    logged: lines.map((line) => JSON.parse(line)),
  };
}

/** Refuses a text if `isRefused` returns true, as the service refuses a text that it cannot store. */
const refusing =
  (isRefused: (chunks: DoneChunk[]) => boolean, status = 400): Check =>
  (text) => {
    if (isRefused(readResult(text).chunks)) throw serviceError(status);
  };

test('the result message is put before the wake event is sent, and both happen before a reference is deleted', async () => {
  const { calls, results } = await publishAll([disposition('000000'), disposition('000001')]);

  expect(calls).toEqual(['put billing-results', 'wake billing-results', 'delete m0', 'delete m1']);
  expect(results[0]?.chunks.map(({ chunk }) => chunk)).toEqual(['000000', '000001']);
});

test('the wake event contains the number of items and the size of the result messages, without refused ones', async () => {
  const check = refusing((chunks) => chunks.some(({ chunk }) => chunk === '000001'));

  const { texts, wakes } = await publishAll(
    ['000000', '000001', '000002'].map((chunk) => disposition(chunk)),
    check,
  );

  expect(texts).toHaveLength(2);
  expect(wakes).toEqual([{ items: 8, payloadBytes: Buffer.byteLength(texts.join('')) }]);
});

test('a returned reference is kept; that of an orphan or a duplicate is deleted, and publishes nothing', async () => {
  expect((await publishAll(['returned', 'orphaned', 'duplicate'])).calls).toEqual(['delete m1', 'delete m2']);
});

test('the message contains what was spent for its batches, which is stored then', async () => {
  const { results, notStored } = await publishAll([disposition('000000'), disposition('000001')]);

  expect(results[0]?.operations).toEqual({ 'blob.put': 2 });
  expect(notStored).toEqual({ 'blob.put': 5 });
});

test('a message that is refused stores nothing, and its operations stay with the drain', async () => {
  const { results, notStored } = await publishAll(
    [disposition('000000')],
    refusing(() => true),
  );

  expect(results).toEqual([]);
  expect(notStored).toEqual({ 'blob.put': 7 });
});

test('many ends are split into messages below the limit, and the first one contains the operations', async () => {
  const causes = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}`.repeat(120), 1]));
  const dispositions = Array.from({ length: 64 }, (_, n) => disposition(String(n).padStart(6, '0'), { causes }));

  const { results, texts } = await publishAll(dispositions);

  expect(results.length).toBeGreaterThan(1);
  expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(48 * 1024);
  expect(results.flatMap(({ chunks }) => chunks)).toHaveLength(64);
  expect(results.map(({ operations }) => Object.keys(operations).length > 0)).toEqual([
    true,
    ...results.slice(1).map(() => false),
  ]);
});

test('a cause with characters that XML forbids is sent in a form that the service can store, and read back unchanged', async () => {
  const causes = { 'rejected: Reject: a" \uffff b, \u{1f600}\ud800': 1 };

  const { results, texts } = await publishAll([disposition('000000', { causes })]);

  expect(texts[0]).toMatch(/^[ -~]*$/);
  expect(results[0]?.chunks[0]?.header.causes).toEqual(causes);
});

test('the size of a message is the size of the text that is sent', async () => {
  const causes = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}${'"\uffff'.repeat(60)}`, 1]));
  const dispositions = Array.from({ length: 32 }, (_, n) => disposition(String(n).padStart(6, '0'), { causes }));

  const { results, texts } = await publishAll(dispositions);

  const sent = texts.map((text) => text.replaceAll('"', '&quot;').length);
  expect(Math.max(...sent)).toBeLessThanOrEqual(64 * 1024 - 200);
  expect(results.flatMap(({ chunks }) => chunks)).toHaveLength(32);
});

test('an end that is too large for a message is sent without its causes', async () => {
  const causes = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`${n}${'\uffff'.repeat(120)}`, 1]));

  const { results } = await publishAll([disposition('000000', { causes }), disposition('000001')]);

  const ends = results.flatMap(({ chunks }) => chunks);
  expect(ends.map(({ chunk, header }) => [chunk, header.causes])).toEqual([
    ['000000', undefined],
    ['000001', undefined],
  ]);
});

test('an end that the queue refuses does not delay the others, and is accepted without its causes', async () => {
  const dispositions = [
    disposition('000000'),
    disposition('000001', { causes: { bad: 1 } }),
    disposition('000002'),
    disposition('000003'),
  ];
  const check = refusing((chunks) => chunks.some(({ header }) => header.causes !== undefined));

  const { calls, results } = await publishAll(dispositions, check);

  const ends = results.flatMap(({ chunks }) => chunks);
  expect(ends.map(({ chunk }) => chunk)).toEqual(['000000', '000001', '000002', '000003']);
  expect(ends[1]?.header.causes).toBeUndefined();
  expect(calls.filter((line) => line.startsWith('delete'))).toEqual([
    'delete m0',
    'delete m1',
    'delete m2',
    'delete m3',
  ]);
});

test('an end that is refused in any form keeps its reference, and is logged for an operator', async () => {
  const dispositions = [disposition('000000'), disposition('000001', { causes: { bad: 1 } }), disposition('000002')];
  const check = refusing((chunks) => chunks.some(({ chunk }) => chunk === '000001'), 413);

  const { calls, logged } = await publishAll(dispositions, check);

  expect(calls).toEqual([
    'put billing-results',
    'put billing-results',
    'wake billing-results',
    'delete m0',
    'delete m2',
  ]);
  expect(logged).toMatchObject([{ event: 'message-refused', batch: BATCH, chunk: '000001', error: { status: 413 } }]);
});

test.each([503, 403, 429])('an outage (%i) is not a refusal: all references stay', async (status) => {
  let puts = 0;
  const check: Check = () => {
    puts += 1;
    throw serviceError(status);
  };

  await expect(publishAll([disposition('000000'), disposition('000001')], check)).rejects.toThrow(String(status));
  expect(puts).toBe(1);
});

test('a round adds up the chunks that it ended; an outcome that was stored before adds no handler time', () => {
  const done = { batch: BATCH, chunk: '000000', header: headerOf({ retried: 1 }) };
  const own = { done, outcome: { ran: 4, failures: 1 } } as ChunkDisposition;

  const total = countWork(5, [own, disposition('000001'), 'orphaned', 'returned', 'duplicate']);

  expect(total).toMatchObject({
    received: 5,
    done: 2,
    items: 6,
    ran: 4,
    failures: 1,
    orphanedReferences: 1,
    handlerSeconds: 0.5,
  });
});
