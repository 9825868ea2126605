import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { asciiJson } from '../../../../shared/contract/text/text.ts';
import { CALL_BYTES, writeCall } from '../../app/items.ts';
import { truthOf } from '../../harness/truth.ts';
import { type Calls, countCalls, takeCalls, wrongCalls } from './calls.ts';
import { createDeliveries } from './deliveries.ts';

const BATCH = '0199e0a0-0000-7000-8000-000000000001';
const truth = truthOf(
  4,
  new Map([
    [1, 'once'],
    [2, 'invalid'],
    [3, 'unhandled'],
  ]),
);

/**
 * Calls as [position, attempt]. The required ones: [0, 1], [1, 1], [1, 2], and each attempt of 3 twice, because its
 * first call was set aside.
 */
const RIGHT = [
  [0, 1],
  [1, 1],
  [1, 2],
  ...[1, 2, 3].flatMap((attempt) => [
    [3, attempt],
    [3, attempt],
  ]),
] as const;

async function callsOf(records: readonly (readonly number[])[]): Promise<Calls> {
  const folder = await mkdtemp(join(tmpdir(), 'sluice-calls-'));
  const bytes = Buffer.alloc(records.length * CALL_BYTES);
  for (const [index, [position = 0, attempt = 0]] of records.entries())
    writeCall(bytes.subarray(index * CALL_BYTES), { position, attempt, atMs: index });
  // Calls of two threads, one of which died before its first call; the file of another batch is ignored.
  await writeFile(join(folder, `${BATCH}.1.1`), bytes);
  await writeFile(join(folder, `${BATCH}.1.2`), '');
  await writeFile(join(folder, 'other.1.1'), 'x'.repeat(CALL_BYTES));
  const calls = await takeCalls(folder, BATCH, truth.accepted);
  expect(await readdir(folder)).toEqual(['other.1.1']);
  await rm(folder, { recursive: true });
  return calls;
}

const reference = (chunk: string, items: number) => ({
  ...{ v: 1, workload: 'slot0', version: 1, batch: BATCH, chunk, kind: chunk.includes('.') ? 'retries' : 'items' },
  ...{ container: 'payloads', blob: 'b', offset: 0, length: 1, bytes: 1, items, firstItem: 0, traceparent: '<&"' },
  ...{ digest: `sha256:${'0'.repeat(64)}`, enqueuedAt: '2026-11-22T00:00:00.000Z' },
});

/** The deliveries, as the answers of one receive each. */
function delivered(...messages: (readonly [chunk: string, items: number])[]) {
  const deliveries = createDeliveries();
  const path = '/account/slot0-normal-0/messages?numofmessages=32';
  const call = {
    service: 'queue',
    method: 'GET',
    path,
    url: path,
    headers: [],
    body: async () => Buffer.alloc(0),
  } as const;
  for (const [chunk, items] of messages) {
    const text = asciiJson(reference(chunk, items))
      .replaceAll('&', '&amp;')
      .replaceAll('"', '&quot;')
      .replaceAll('<', '&lt;');
    const body = `<QueueMessagesList><QueueMessage><MessageText>${text}</MessageText></QueueMessage></QueueMessagesList>`;
    deliveries.note(call, { status: 200, headers: [], body: Buffer.from(body) });
  }
  return deliveries.of(BATCH);
}

const ONCE = [
  ['000000', 4],
  ['000000.r1', 2],
  ['000000.r2', 1],
] as const;

test('accepts one call per attempt, and calls that are made again alone', async () => {
  const calls = await callsOf(RIGHT);
  expect(wrongCalls(truth, calls, { delivered: delivered(...ONCE), isCancelled: false })).toEqual([]);
  expect(countCalls(truth, calls, delivered(...ONCE))).toMatchObject({ items: 4, calls: 9, most: 6 });
  expect(calls.atMs).toEqual(RIGHT.map((_, index) => index));
});

test('finds an attempt that is missing, or not required', async () => {
  const missing = await callsOf(RIGHT.filter(([position, attempt]) => !(position === 1 && attempt === 2)));
  expect(wrongCalls(truth, missing, { delivered: delivered(...ONCE), isCancelled: false })).toEqual([
    'item 1: 1 calls, attempts 1, not 1 2',
  ]);
  expect(wrongCalls(truth, missing, { delivered: delivered(...ONCE), isCancelled: true })).toEqual([]);
  const beyond = await callsOf([...RIGHT, [0, 2]]);
  expect(wrongCalls(truth, beyond, { delivered: delivered(...ONCE, ['000000.r1', 1]), isCancelled: false })).toEqual([
    'item 0: 2 calls, attempts 1 2, not 1',
  ]);
});

test('finds a call that no delivery explains', async () => {
  const twice = await callsOf([...RIGHT, [0, 1], [1, 1]]);
  expect(wrongCalls(truth, twice, { delivered: delivered(...ONCE), isCancelled: false })).toEqual([
    'chunk 000000: 8 calls, 7 items delivered',
  ]);
  expect(wrongCalls(truth, twice, { delivered: delivered(...ONCE, ['000000', 4]), isCancelled: false })).toEqual([]);
});
