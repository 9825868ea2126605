/** Hostile inputs, one after the other, against one instance of the whole app. */
import { TableClient } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONTAINERS, isBatchId, TABLES } from '../../shared/contract/names.ts';
import { finished } from '../helpers/client.ts';
import { startStack, type TestStack } from '../helpers/stack.ts';
import type { HostileInput } from './input.ts';
import { INPUTS } from './inputs/index.ts';
import { boundsOf, runInput } from './run-input.ts';
import type { Answer, Door } from './send.ts';

describe('an instance survives', () => {
  let stack: TestStack;
  let door: Door;

  beforeAll(async () => {
    stack = await startStack({ instances: 1 });
    const { url, keys, instances } = stack;
    door = { url, keys, pid: () => instances[0].process.pid };
  });
  afterAll(() => stack?.stop());
  // An earlier input may have ended the process. Then only its own test fails.
  beforeEach(() => expect.poll(async () => (await stack.api('health').catch(() => undefined))?.status).toBe(200));

  it.each(INPUTS)('$name', async (input) => {
    const before = await stored(stack);

    const outcome = await runInput(door, input);

    const { answers, health, honest, peakBytes, pids, milliseconds } = outcome;
    const bounds = boundsOf(input);
    expect(pids[1], 'the process of the app').toBe(pids[0]);
    expect(answers.map(readAnswer)).toEqual(answers.map(() => expectedAnswer(input)));
    expect(peakBytes, 'peak memory').toBeLessThan(bounds.peakBytes);
    expect(milliseconds, 'until the last answer').toBeLessThan(bounds.answerMs);
    expect(unlike200(health), 'health').toEqual([]);
    expect(slowest(health), 'health').toBeLessThan(bounds.healthMs);
    expect(unlike200(honest), 'an honest client').toEqual([]);
    expect(slowest(honest), 'an honest client').toBeLessThan(bounds.honestMs);
    if (input.expected.status === 202) await Promise.all(answers.map((answer) => removeBatch(stack, answer)));
    expect(await stored(stack)).toEqual(before);
  });
});

const expectedAnswer = ({ expected: { status, problem } }: HostileInput): string =>
  problem === undefined ? `${status}` : `${status} ${problem}`;

function readAnswer({ status, text }: Answer): string {
  if (status === 0) return text;
  const type = /"type":"[^"]*\/problems\/([\w-]+)"/.exec(text)?.[1];
  return type === undefined ? `${status}` : `${status} ${type}`;
}

const slowest = (answers: readonly Answer[]): number => Math.max(...answers.map(({ milliseconds }) => milliseconds));

const unlike200 = (answers: readonly Answer[]): string[] =>
  answers.filter(({ status }) => status !== 200).map(({ status, text }) => `${status} ${text}`);

/** What an upload stores before its acceptance and with it: payloads and rows. */
async function stored({ storage }: TestStack): Promise<string[]> {
  const names: string[] = [];
  const payloads = BlobServiceClient.fromConnectionString(storage).getContainerClient(CONTAINERS.payloads);
  for await (const { name } of payloads.listBlobsFlat()) names.push(name);
  const table = TableClient.fromConnectionString(storage, TABLES.batches, { allowInsecureConnection: true });
  // The sweep's own notes are in the partition of open batches, too.
  for await (const { partitionKey, rowKey } of table.listEntities())
    if (isBatchId(partitionKey ?? '') || (partitionKey === 'open' && !rowKey?.startsWith('~')))
      names.push(`${partitionKey}/${rowKey}`);
  return names.sort();
}

/** Cancels and deletes an accepted batch, so that it does not disturb the next input. */
async function removeBatch(stack: TestStack, { text }: Answer): Promise<void> {
  const { id } = JSON.parse(text) as { id: string };
  await stack.api(`batches/${id}/cancel`, { method: 'POST' });
  await finished(stack, id);
  await expect.poll(async () => (await stack.api(`batches/${id}`, { method: 'DELETE' })).status).toBe(204);
}
