import { expect, test } from 'vitest';
import { readResult } from '../../../shared/contract/reference.ts';
import type { Lease } from '../../../shared/processing/lease.ts';
import { type Fate, tallyOf, tellResults } from '../../../shared/processing/tell-results.ts';
import type { Queue } from '../../../shared/wake/messages.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { BATCH, headerOf, messageOf, referenceOf } from '../../helpers/factories.ts';
import { address } from '../drain/drain-fixtures.ts';

const fate = (chunk: string, fields: Parameters<typeof headerOf>[1] = {}): Fate => ({
  end: { batch: BATCH, chunk, header: headerOf({ retried: 1 }, fields) },
});

/** Tells fates, and gives what happened, in order. */
async function tell(fates: Fate[]) {
  const told: string[] = [];
  const texts: string[] = [];
  const lease = { finish: async (id: string) => void told.push(`delete ${id}`) } as Partial<Lease> as Lease;
  const entries = fates.map((_, index) => ({
    message: messageOf('', { messageId: `m${index}` }),
    value: referenceOf(),
  }));
  const queues = (name: string): Queue =>
    ({
      name,
      sendMessage: async (text: string) => {
        texts.push(text);
        told.push(`put ${name}`);
      },
    }) as unknown as Queue;
  const deps = {
    queues,
    registry: createRegistry([address.workload]),
    gate: { now: () => Date.UTC(2026, 0, 1) },
    publish: async ({ queue }: { queue: string }) => void told.push(`wake ${queue}`),
  };
  await tellResults(deps, address, fates, { operations: { 'blob.put': 2 }, lease, entries });
  return { told, results: texts.map(readResult), texts };
}

test('the result message goes before the wake, and both before a reference is deleted', async () => {
  const { told, results } = await tell([fate('000000'), fate('000001')]);

  expect(told).toEqual(['put billing-results', 'wake billing-results', 'delete m0', 'delete m1']);
  expect(results[0]?.chunks.map(({ chunk }) => chunk)).toEqual(['000000', '000001']);
});

test('what is to be tried again keeps its reference; what is nobody’s loses it, and tells nothing', async () => {
  expect((await tell(['later', 'ghost', 'stale'])).told).toEqual(['delete m1', 'delete m2']);
});

test('what telling costs is in the message, once', async () => {
  const { results } = await tell([fate('000000'), fate('000001')]);

  expect(results[0]?.operations).toEqual({
    'blob.put': 2,
    'queue.get': 1,
    'queue.put': 1,
    'servicebus.send': 1,
    'queue.delete': 2,
  });
});

test('many ends are cut into messages below the limit, and the operations are told with the first', async () => {
  const causes = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}`.repeat(120), 1]));
  const fates = Array.from({ length: 64 }, (_, n) => fate(String(n).padStart(6, '0'), { causes }));

  const { results, texts } = await tell(fates);

  expect(results.length).toBeGreaterThan(1);
  expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThanOrEqual(48 * 1024);
  expect(results.flatMap(({ chunks }) => chunks)).toHaveLength(64);
  expect(results.map(({ operations }) => Object.keys(operations).length > 0)).toEqual([
    true,
    ...results.slice(1).map(() => false),
  ]);
});

test('a round adds up what it ended; what another had stored before costs it no handler time', () => {
  const end = { batch: BATCH, chunk: '000000', header: headerOf({ retried: 1 }) };
  const own = { end, outcome: { ran: 4, failures: 1 } } as Fate;

  const tally = tallyOf(5, [own, fate('000001'), 'ghost', 'later', 'stale'], { 'queue.get': 1 });

  expect(tally).toMatchObject({
    received: 5,
    done: 2,
    items: 6,
    ran: 4,
    failures: 1,
    ghosts: 1,
    handlerSeconds: 0.5,
    operations: { 'queue.get': 1 },
  });
});
