import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deadLetters, finished, report, send } from '../../helpers/client.ts';
import { buildOddApp, oddItems } from '../../helpers/odd-app.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

const SHORT = { SLUICE_VISIBILITY_SECONDS: '4', SLUICE_SLICE_SECONDS: '3', SLUICE_INBOX_SCHEDULE: '' };
const sumBut = (count: number, ...left: number[]): unknown => ({
  all: {
    count: count - left.length,
    sum: (count * (count - 1)) / 2 - left.reduce((sum, n) => sum + n, 0),
  },
});

describe('a misbehaving handler costs only its own item', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startStack({ appFolder: await buildOddApp('odd-handlers'), settings: SHORT });
  });
  afterAll(() => stack?.stop());

  it('Reject becomes a dead letter immediately, a first failure is retried, a permanent one uses up its attempts', async () => {
    const items = oddItems(40, { 3: { do: 'reject' }, 7: { do: 'once' }, 25: { do: 'never' } });

    const batch = await finished(stack, (await send(stack, 'odd', items)).id);

    expect(batch).toMatchObject({
      state: 'completedWithDeadLetters',
      counts: { accepted: 40, succeeded: 38, dead: 2, cancelled: 0, pending: 0 },
    });
    expect(await deadLetters(stack, batch.id)).toEqual({
      3: { reason: 'rejected', message: 'no such account', attempts: 1 },
      25: { reason: 'exhausted', message: 'always fails', attempts: 3 },
    });
    expect(await report(stack, batch.id)).toEqual(sumBut(40, 3, 25));
  });

  it.each([
    ['an endless loop', 'loop', 'exhausted'],
    ['a promise that never settles', 'hang', 'exhausted'],
    ['process.exit', 'exit', 'killed'],
  ])('%s ends as a dead letter (%s → %s)', async (_name, behaviour, reason) => {
    const batch = await finished(stack, (await send(stack, 'odd', oddItems(20, { 9: { do: behaviour } }))).id, 90);

    expect(batch.counts).toMatchObject({ accepted: 20, succeeded: 19, dead: 1, pending: 0 });
    expect(await deadLetters(stack, batch.id)).toMatchObject({ 9: { reason } });
    expect(await report(stack, batch.id)).toEqual(sumBut(20, 9));
  });

  it('an item that crashes the whole process repeatedly is found by splitting', async () => {
    const { id } = await send(stack, 'odd', oddItems(40, { 13: { do: 'kill' } }));
    const revive = setInterval(() => {
      // Only the app has crashed; a platform starts an instance again by itself.
      stack.restartHosts().catch(() => {});
    }, 500);

    const batch = await finished(stack, id, 110).finally(() => clearInterval(revive));

    expect(batch.counts).toMatchObject({ accepted: 40, succeeded: 39, dead: 1, pending: 0 });
    expect(await deadLetters(stack, batch.id)).toMatchObject({ 13: { reason: 'killed' } });
    expect(await report(stack, batch.id)).toEqual(sumBut(40, 13));
  });

  it('a handler that takes longer than the visibility timeout keeps its lease', async () => {
    const items = oddItems(20, Object.fromEntries(Array.from({ length: 20 }, (_, n) => [n, { do: 'wait', ms: 400 }])));

    const batch = await finished(stack, (await send(stack, 'odd', items)).id);

    expect(batch.counts).toMatchObject({ accepted: 20, succeeded: 20, duplicatesSeen: 0 });
  });
});
