import { expect, test } from 'vitest';
import { outcomeOf, serviceError } from '../../helpers/data/factories.ts';
import { one, world } from './collector-fixtures.ts';

test.each([
  ['at once', [['m1', 'm1 again']]],
  ['one after the other', [['m1'], ['m1 again']]],
])('a message that was put twice, because its answer was lost, is charged once: %s', async (_when, deliveries) => {
  const { deliver, row } = await world(3);
  for (const ids of deliveries) await deliver(Object.fromEntries(ids.map((id) => [id, [outcomeOf('000000')]])));
  await deliver({ m2: [outcomeOf('000000')] });

  // The other message comes from a worker that ran the reference again.
  expect((await row())?.operations['blob.put']).toBe(2);
});

test.each([
  ['storage', serviceError(503)],
  ['the topic', Object.assign(new Error('away'), { retryable: true })],
])(
  'after an outage of %s, a message is visible again in five seconds, and the gate records that time',
  async (_what, error) => {
    const { deliver, fail, deleted, returned, due, lines } = await world(1);
    fail('ItemsDeadLettered', error);

    await deliver({ m1: [outcomeOf('000000', one)] });

    expect(lines.at(-1)?.event).toBe('collect-deferred');
    expect([deleted, returned]).toEqual([[], [{ id: 'm1', seconds: 5, text: undefined }]]);
    expect(await due()).toEqual(['2026-01-01T00:01:05.000Z']);
  },
);

test('an error other than an outage raises an alert, and is tried again when the message becomes visible by itself', async () => {
  const { deliver, fail, deleted, returned, due, lines } = await world(1);
  fail('ItemsDeadLettered', serviceError(400));

  await deliver({ m1: [outcomeOf('000000', one)] });

  expect(lines.at(-1)?.event).toBe('collect-failed');
  expect([deleted, returned, await due()]).toEqual([[], [], []]);
});

test('a message that cannot be returned is logged in addition to the outage, and the round ends', async () => {
  const { deliver, fail, deleted, returned, lines } = await world(1);
  fail('ItemsDeadLettered', serviceError(503));
  fail('return', serviceError(500));

  await expect(deliver({ m1: [outcomeOf('000000', one)] })).resolves.toMatchObject({ received: 1, done: 0 });

  expect(lines.map(({ event }) => event).slice(-2)).toEqual(['collect-deferred', 'message-not-returned']);
  expect([deleted, returned]).toEqual([[], []]);
});
