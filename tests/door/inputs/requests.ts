/** Requests of clients and operators that read, change or create much. */
import { brotliCompressSync, constants } from 'node:zlib';
import type { HostileInput } from '../input.ts';
import { type Answer, type Door, send } from '../send.ts';

const MiB = 1024 * 1024;
const MAX_MS = 60_000;
const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };
const NDJSON = { 'content-type': 'application/x-ndjson' };
const BROTLI = { ...NDJSON, 'content-encoding': 'br' };

/** The batch that an input has created for its request. */
let batch = '';

async function ask(door: Door, route: string, body?: Uint8Array, headers = NDJSON): Promise<Answer> {
  const answer = await send(door, { route, headers, body, maxMs: MAX_MS });
  if (answer.status === 0 || answer.status >= 500) throw new Error(`${route}: ${answer.status} ${answer.text}`);
  return answer;
}

/** Submits records, and waits until their batch is finished. */
async function finishedBatch(door: Door, workload: string, records: string): Promise<string> {
  const { text } = await ask(door, `POST workloads/${workload}/batches`, Buffer.from(records));
  const { id } = JSON.parse(text) as { id: string };
  await untilFinished(door, id);
  return id;
}

async function untilFinished(door: Door, id: string): Promise<void> {
  for (;;) {
    const { state } = JSON.parse((await ask(door, `GET batches/${id}`)).text) as { state: string };
    if (!['enqueueing', 'queued', 'running'].includes(state)) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

/** Records of which each is dead; texts are scattered among the others, and have a cause of their own. */
const scattered = (count: number): string =>
  Array.from({ length: count }, (_, n) => (n % 5 === 0 || n % 5 === 2 ? '""\n' : '1\n')).join('');

/** Redrives the scattered ones, which die again, and then reads dead letters and items by several requests at once. */
async function redriveScattered(door: Door, [letters]: readonly Answer[]): Promise<void> {
  const { groups } = JSON.parse(letters?.text ?? '') as { groups: { cause: string }[] };
  const body = Buffer.from(JSON.stringify({ key: 'k', cause: groups.at(-1)?.cause }));
  const json = { 'content-type': 'application/json' };
  const { status, text } = await ask(door, `POST batches/${batch}/dead-letters/redrive`, body, json);
  if (status !== 202) throw new Error(`Redrive: expected 202, got ${status} ${text}`);
  await untilFinished(door, batch);
  const routes = ['dead-letters', 'dead-letters?format=ndjson', 'items?state=dead', 'items/1000'];
  for (const answer of await Promise.all(
    [...routes, ...routes].map((each) => ask(door, `GET batches/${batch}/${each}`)),
  ))
    if (answer.status !== 200) throw new Error(`Expected 200, got ${answer.status} ${answer.text}`);
  await removeBatch(door);
}

async function removeBatch(door: Door): Promise<void> {
  for (let status = 0; status !== 404; status = (await ask(door, `GET batches/${batch}`)).status)
    await ask(door, `DELETE batches/${batch}`);
}

/** Inputs of the routes of batches. */
export const REQUESTS: readonly HostileInput[] = [
  {
    name: 'a corrected item of 15.9 MB',
    route: async (door) => {
      batch = await finishedBatch(door, 'billing', '1\n');
      return `POST batches/${batch}/dead-letters/redrive`;
    },
    headers: { 'content-type': 'application/json' },
    body: () => Buffer.from(`{"corrected":[{"index":0,"item":[${'{},'.repeat(5.3 * MiB)}0]}]}`),
    copies: 3,
    expected: { status: 413, problem: 'too-large' },
    after: removeBatch,
  },
  {
    name: '60,000 dead letters, five times at once',
    route: async (door) => {
      batch = await finishedBatch(door, 'billing', '1\n'.repeat(60_000));
      return `GET batches/${batch}/dead-letters`;
    },
    copies: 5,
    expected: { status: 200 },
    after: removeBatch,
  },
  {
    name: 'a redrive of scattered ones of 300,000 dead letters',
    route: async (door) => {
      batch = await finishedBatch(door, 'billing', scattered(300_000));
      return `GET batches/${batch}/dead-letters`;
    },
    expected: { status: 200 },
    after: redriveScattered,
    bounds: { answerMs: 240_000 },
  },
  {
    name: 'hundreds of bytes, 33 million items',
    route: 'POST workloads/billing/batches',
    headers: BROTLI,
    body: () => brotliCompressSync(Buffer.alloc(64 * MiB, '1\n'), FAST),
    expected: { status: 413, problem: 'too-large' },
  },
  {
    name: 'a few bytes, 10,000 messages',
    route: 'POST workloads/media/batches',
    headers: BROTLI,
    body: () => brotliCompressSync(Buffer.alloc(160_000, '1\n')),
    copies: 4,
    expected: { status: 413, problem: 'too-large' },
  },
  {
    name: 'a cancel of a batch of 1,000 chunks',
    route: async (door) => {
      const { text } = await ask(door, 'POST workloads/media/batches', Buffer.alloc(16_000, '1\n'));
      return `POST batches/${(JSON.parse(text) as { id: string }).id}/cancel`;
    },
    expected: { status: 202 },
  },
];
