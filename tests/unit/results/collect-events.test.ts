import { describe, expect, test } from 'vitest';
import { BATCH, headerOf, outcomeOf } from '../../helpers/data/factories.ts';
import { idsOf, one, outcomes, world } from './collector-fixtures.ts';

describe('ResultsReady', () => {
  const dead = headerOf({ succeeded: 0, dead: 4 });
  const ready = (published: { id: string; details: unknown }[]) =>
    published.filter(({ id }) => id.startsWith('results-')).map(({ details }) => details);

  test('is not published for a workload that does not request it', async () => {
    const { deliver, published } = await world(2);

    await deliver({ m1: [outcomeOf('000000')] });

    expect(published).toEqual([]);
  });

  test('is published once per transaction, with the chunks that have results, before the end', async () => {
    const { deliver, published } = await world(4, { resultsReady: true });

    await deliver({ m1: [outcomeOf('000002', one), outcomeOf('000000')], m2: [outcomeOf('000001', dead)] });
    await deliver({ m3: [outcomeOf('000003', headerOf({ succeeded: 1, cancelled: 3 }))] });

    expect(ready(published)).toEqual([
      { chunks: ['000000', '000002'], succeeded: 7, dead: 1, revision: 0 },
      { chunks: ['000003'], succeeded: 1, dead: 0, revision: 0 },
    ]);
    expect(published.filter(({ id }) => id.startsWith('results-')).map(({ items }) => items)).toEqual([8, 4]);
    expect(new Set(idsOf(published, 'results')).size).toBe(2);
    expect(published.at(-1)?.id).toBe(`completed-${BATCH}-0`);
  });

  test('is published for each of two transactions of a delivery', async () => {
    const { deliver, published } = await world(100, { resultsReady: true });

    await deliver({ m1: outcomes(99) });

    const chunks = ready(published).map((details) => (details as { chunks: string[] }).chunks.length);
    expect(chunks).toEqual([98, 1]);
  });

  test('that was not published because of a crash is published by the next delivery, with the same id, and not by a copy', async () => {
    const { deliver, fail, published, deleted, wait } = await world(3, { resultsReady: true });
    fail('ResultsReady');
    await deliver({ m1: [outcomeOf('000000'), outcomeOf('000001')] });
    expect([published, deleted]).toEqual([[], []]);
    wait(1_000);
    // A copy of the result message by a worker that ran the reference again.
    await deliver({ m2: [outcomeOf('000000'), outcomeOf('000001')] });
    expect(published).toEqual([]);

    fail('ItemsDeadLettered');
    await deliver({ m1: [outcomeOf('000000'), outcomeOf('000001')], m3: [outcomeOf('000002', dead)] });
    await deliver({ m1: [outcomeOf('000000'), outcomeOf('000001')] });

    const details = { chunks: ['000000', '000001'], succeeded: 8, dead: 0, revision: 0 };
    expect(ready(published)).toEqual([details, details]);
    expect(new Set(idsOf(published, 'results')).size).toBe(1);
  });

  test('of a message that is delivered again after a redrive contains the revision of its chunks', async () => {
    const { deliver, published, redrive } = await world(1, { resultsReady: true });
    await deliver({ m1: [outcomeOf('000000')] });
    await redrive();

    await deliver({ m1: [outcomeOf('000000')] });

    expect(ready(published).map((details) => (details as { revision: number }).revision)).toEqual([0, 0]);
  });
});

describe('a batch whose chunks end too slowly', () => {
  const LATE = '2026-01-01T00:01:30.000Z';
  // Four of 40 items in 90 s: the rest takes until 00:15, and the deadline is 00:05.
  const risk = { deadlineAt: '2026-01-01T00:05:00.000Z', ended: 4, items: 40, revision: 0 };
  const event = { id: `at-risk-${BATCH}-0`, items: 40, details: { ...risk, expectedAt: '2026-01-01T00:15:00.000Z' } };

  test('is found to be at risk by the transaction that counts them, once, and this costs no operation', async () => {
    const { deliver, published, lines, row, calls, setTime } = await world(10);
    setTime(LATE);
    const made = calls();

    await deliver({ m1: [outcomeOf('000000')] });
    setTime('2026-01-01T00:04:00.000Z');
    await deliver({ m2: [outcomeOf('000001', headerOf(), 'm2')] });

    expect(published).toEqual([event]);
    expect(lines.filter(({ event }) => event === 'deadline-at-risk')).toMatchObject([
      { batch: BATCH, ...event.details },
    ]);
    expect((await row())?.atRiskAt).toBe(LATE);
    expect(made.slice(0, 4)).toEqual(['table.list', 'table.write', 'table.list', 'table.write']);
  });

  test('is published when the message is delivered again, if the topic was unavailable after the transaction', async () => {
    const { deliver, fail, published, deleted, setTime } = await world(10);
    setTime(LATE);
    fail('DeadlineAtRisk');
    await deliver({ m1: [outcomeOf('000000')] });
    expect([published, deleted]).toEqual([[], []]);

    await deliver({ m1: [outcomeOf('000000')] });

    expect(published).toEqual([event]);
    expect(deleted).toEqual(['m1']);
  });

  test('is not at risk while its running chunks are about to end', async () => {
    const { deliver, runs, published, row, setTime } = await world(10);
    setTime(LATE);
    await runs(32);

    await deliver({ m1: [outcomeOf('000000')] });

    expect([published, (await row())?.atRiskAt]).toEqual([[], undefined]);
  });

  test('is not at risk when these chunks are its last ones, however late', async () => {
    const { deliver, published, setTime } = await world(1);
    setTime('2026-01-01T00:09:00.000Z');

    await deliver({ m1: [outcomeOf('000000')] });

    expect(published.map(({ id }) => id)).toEqual([`completed-${BATCH}-0`]);
  });
});
