import { expect, test } from 'vitest';
import { groupsByRows } from '../../../shared/results/collect-batch.ts';
import { BATCH, headerOf, outcomeOf } from '../../helpers/data/factories.ts';
import { one, outcomes, world } from './collector-fixtures.ts';

const parts = Array.from({ length: 32 }, (_, part): [number, number] => [part, 1]);

// A transaction has at most 100 operations: the batch row, 98 rows of chunks, and one spare.
test.each([
  ['98 ends fit into one transaction', outcomes(98), [98]],
  ['99 ends need two transactions', outcomes(99), [98, 1]],
  ['a retry needs an additional row', outcomes(98, headerOf({ retried: 1 })), [49, 49]],
  ['a split needs one row per part', outcomes(4, headerOf({}, { ending: 'split', parts })), [2, 2]],
  ['no ends need no transaction', [], []],
])('%s', (_what, list, sizes) => {
  expect(groupsByRows(list).map((group) => group.length)).toEqual(sizes);
});

const two = headerOf({ dead: 2 }, { causes: { a: 1, b: 1 } });
const eventOf = (first: string, count: number, causes: Record<string, number>) => ({
  id: `dead-${BATCH}-${first}`,
  items: count,
  details: { count, causes },
});

test('dead letters are published per result message, before the end of their batch', async () => {
  const { deliver, published, deleted } = await world(3);

  await deliver({ m1: [outcomeOf('000000', one), outcomeOf('000001', two)], m2: [outcomeOf('000002', two)] });

  expect(published.slice(0, 2)).toEqual([eventOf('000000', 3, { a: 2, b: 1 }), eventOf('000002', 2, { a: 1, b: 1 })]);
  expect(published[2]?.id).toBe(`completed-${BATCH}-0`);
  expect(deleted).toEqual(['m1', 'm2']);
});

test.each([
  ['the topic refuses the event', 'ItemsDeadLettered', one],
  ['a follow-up reference cannot be put', 'put', headerOf({ dead: 1, retried: 1 }, { causes: { a: 1 } })],
])(
  'dead letters are published, and logged for the alert, although %s after the transaction',
  async (_what, fault, header) => {
    const { deliver, fail, published, deleted, lines } = await world(2);
    fail(fault);
    await deliver({ m1: [outcomeOf('000000', header)] });
    expect([published, deleted]).toEqual([[], []]);

    // The message is delivered again, now beside another one.
    await deliver({ m0: [outcomeOf('000001')], m1: [outcomeOf('000000', header)] });

    expect(published[0]).toEqual(eventOf('000000', 1, { a: 1 }));
    expect(deleted).toContain('m1');
    expect(lines.map(({ event }) => event)).toContain('items-dead-lettered');
  },
);

test('an end that a second message repeats is not published again', async () => {
  const { deliver, published } = await world(3);
  await deliver({ m1: [outcomeOf('000000', one)] });

  await deliver({ m2: [outcomeOf('000000', one), outcomeOf('000001', two)] });

  expect(published).toEqual([eventOf('000000', 1, { a: 1 }), eventOf('000001', 2, { a: 1, b: 1 })]);
});

const again = headerOf({ retried: 1 });

test('a repeat of an end puts its follow-ups again, marked as resent: the first reference may have run by then', async () => {
  const { deliver, puts } = await world(2);

  await deliver({ m1: [outcomeOf('000000', again)] });
  await deliver({ m2: [outcomeOf('000000', again)] });

  expect(puts).toEqual(['000000.r1', '000000.r1 resent']);
});

test('follow-ups in a paused batch have rows and no references, also at a repeat of the end', async () => {
  const { deliver, pause, pending, puts, deleted } = await world(2);
  await pause();

  await deliver({ m1: [outcomeOf('000000', again)] });
  await deliver({ m2: [outcomeOf('000000', again)] });

  expect([puts, await pending(), deleted]).toEqual([[], ['000000.r1', '000001'], ['m1', 'm2']]);
});

test('a batch of too many dead letters is paused by the transaction that counts them, and its follow-ups wait', async () => {
  const bad = headerOf({ dead: 3, retried: 1 }, { causes: { 'no such account': 3 } });
  const { deliver, lines, pending, puts, row } = await world(3, { halt: { deadShare: 0.5, after: 3 } });

  await deliver({ m1: [outcomeOf('000000', bad)] });

  const reason = expect.stringMatching(/^3 of 3 items .* most often: no such account$/);
  expect(await row()).toMatchObject({ state: 'paused', paused: { by: 'halt', reason }, dead: 3, chunksDone: 1 });
  expect([puts, await pending()]).toEqual([[], ['000000.r1', '000001', '000002']]);
  expect(lines).toContainEqual(expect.objectContaining({ event: 'batch-paused', by: 'halt', reason }));
});

test('a batch that was paused by its rule gets its alert and its event even if the process crashes after the pause', async () => {
  const { deliver, fail, lines, published } = await world(2, { halt: { deadShare: 0, after: 1 } });
  fail('ItemsDeadLettered');
  await deliver({ m1: [outcomeOf('000000', one)] });
  lines.length = 0;

  await deliver({ m1: [outcomeOf('000000', one)] });

  expect(lines.map(({ event }) => event)).toContain('batch-paused');
  const details = { by: 'halt', reason: expect.stringMatching(/^1 of 4 items/), revision: 0 };
  expect(published).toContainEqual({ id: `paused-${BATCH}-0-0`, items: 8, details });
});

test('results that are collected after the rule has paused their batch cause no further alert and event', async () => {
  const { deliver, lines, published, wait } = await world(3, { halt: { deadShare: 0, after: 1 } });
  await deliver({ m1: [outcomeOf('000000', one)] });
  wait(1_000);
  [lines.length, published.length] = [0, 0];

  await deliver({ m2: [outcomeOf('000001')] });

  expect(lines.map(({ event }) => event)).not.toContain('batch-paused');
  expect(published).toEqual([]);
});

test('a batch that pauses by its rule and ends with the same result message causes no alert and no event', async () => {
  // Two transactions: the first pauses the batch, and the second ends it.
  const bad = outcomes(99).map(({ chunk }) => outcomeOf(chunk, one));
  const { deliver, lines, published, row } = await world(99, { halt: { deadShare: 0, after: 1 } });

  await deliver({ m1: bad });

  expect((await row())?.state).toBe('completedWithDeadLetters');
  expect(lines.map(({ event }) => event)).not.toContain('batch-paused');
  expect(published.filter(({ id }) => id.startsWith('paused-'))).toEqual([]);
});

test('a paused batch ends when no chunk is pending', async () => {
  const { deliver, pause, row } = await world(1);
  await pause();

  await deliver({ m1: [outcomeOf('000000')] });

  expect(await row()).toMatchObject({ state: 'completed', announced: true });
  expect(await row()).toMatchObject({ pausedMs: 20_000 });
  expect((await row())?.paused).toBeUndefined();
});
