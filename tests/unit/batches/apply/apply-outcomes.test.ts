import { describe, expect, test } from 'vitest';
import { applyOutcomes } from '../../../../shared/batches/apply/apply-outcomes.ts';
import type { ReportedOutcome } from '../../../../shared/batches/apply/plan-apply.ts';
import { changeBatch, readBatch } from '../../../../shared/batches/ledger.ts';
import { BATCH, headerOf, outcomeOf, serviceError } from '../../../helpers/data/factories.ts';
import { interposed } from '../../../helpers/fakes/interposed.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';
import { AT, accepted, lawHolds, pendingOf } from '../ledger-fixtures.ts';

describe('the end of chunks', () => {
  test('charges the batch once per message for its operations', async () => {
    const { table } = await accepted(['000000', '000001']);
    const end = { ...outcomeOf('000000'), message: 'first', operations: { 'blob.put': 1.5 } };
    const collect = (ends: ReportedOutcome[]) => applyOutcomes(table, BATCH, ends, AT);

    await collect([end]);
    // The message is delivered again because its reference was delivered twice, and another chunk ends.
    await collect([end]);
    await collect([{ ...end, message: 'second' }]);
    await collect([{ ...outcomeOf('000001'), message: 'second' }]);

    expect((await readBatch(table, BATCH))?.row.operations).toEqual({ 'blob.put': 3 });
  });

  test('changes rows and counters in one transaction', async () => {
    const { table } = await accepted(['000000', '000001']);

    const applied = await applyOutcomes(table, BATCH, [outcomeOf('000000', headerOf({ dead: 1 }))], AT);

    expect([...(applied?.fresh ?? [])]).toEqual(['000000']);
    expect((await readBatch(table, BATCH))?.row).toMatchObject({
      state: 'running',
      succeeded: 3,
      dead: 1,
      chunksDone: 1,
      startedAt: AT.at,
      handlerSeconds: 0.5,
    });
    expect(await pendingOf(table)).toEqual(['000001']);
    expect(await lawHolds(table)).toBe(true);
  });

  test('loses no count if another process ends another chunk at the same time', async () => {
    const { table } = await accepted(['000000', '000001']);
    const other = () => applyOutcomes(table, BATCH, [outcomeOf('000001')], AT);

    await applyOutcomes(interposed(table, 'submitTransaction', other), BATCH, [outcomeOf('000000')], AT);

    expect((await readBatch(table, BATCH))?.row).toMatchObject({ chunksDone: 2, succeeded: 8 });
    expect(await lawHolds(table)).toBe(true);
  });

  test('is no repeat if the answer to its transaction was lost and its own second try is refused', async () => {
    const { table } = await accepted(['000000']);
    let tries = 0;
    const lossy = {
      ...table,
      submitTransaction: async (...args: Parameters<typeof table.submitTransaction>) => {
        const answer = await table.submitTransaction(...args);
        tries += 1;
        if (tries === 1) throw serviceError(412);
        return answer;
      },
    };

    const applied = await applyOutcomes(lossy, BATCH, [outcomeOf('000000', headerOf({ retried: 2 }))], AT);

    expect([...(applied?.fresh ?? [])]).toEqual(['000000']);
    expect(applied?.followUps.map(({ chunk }) => chunk)).toEqual(['000000.r1']);
    expect((await readBatch(table, BATCH))?.row).toMatchObject({ chunksDone: 1, duplicatesSeen: 0 });
  });

  test('sums the causes of its dead letters once, even if it is delivered again', async () => {
    const { table } = await accepted(['000000', '000001']);
    const ends = ['000000', '000001'].map((chunk) =>
      outcomeOf(chunk, headerOf({ dead: 2 }, { causes: { closed: 2 } })),
    );

    await applyOutcomes(table, BATCH, ends.slice(0, 1), AT);
    await applyOutcomes(table, BATCH, ends, AT);

    expect((await readBatch(table, BATCH))?.row).toMatchObject({ dead: 4, causes: { closed: 4 } });
  });

  test('adds its retries as a pending row, and returns that row so that its reference is sent', async () => {
    const { table } = await accepted(['000000']);

    const applied = await applyOutcomes(table, BATCH, [outcomeOf('000000', headerOf({ retried: 2 }))], AT);

    expect(applied?.followUps.map(({ chunk, items }) => [chunk, items])).toEqual([['000000.r1', 2]]);
    expect(applied?.batch).toMatchObject({ chunksTotal: 2, chunksDone: 1, retried: 2 });
    expect(await lawHolds(table)).toBe(true);
  });

  test('counts retried items that were charged, not those that a dead thread has moved', async () => {
    const { table } = await accepted(['000000']);

    const applied = await applyOutcomes(
      table,
      BATCH,
      [outcomeOf('000000', headerOf({ retried: 5 }, { moved: 4 }))],
      AT,
    );

    expect(applied?.batch).toMatchObject({ retried: 1 });
    expect(await lawHolds(table)).toBe(true);
  });

  test('that is delivered again counts as a duplicate, and its pending follow-ups are returned', async () => {
    const { table } = await accepted(['000000']);
    const end = outcomeOf('000000', headerOf({ retried: 2 }));
    await applyOutcomes(table, BATCH, [end], AT);

    const again = await applyOutcomes(table, BATCH, [end], AT);

    expect(again).toMatchObject({ duplicates: 1, followUps: [], repeated: [{ chunk: '000000.r1' }] });
    expect(again?.batch).toMatchObject({ succeeded: 2, duplicatesSeen: 1, chunksDone: 1 });
  });

  test.each([
    ['000000.r1', '000000.r2'],
    ['000000.r9', '000000.r10'],
    ['000000.s03.r1', '000000.s03.r2'],
  ])('of retry chunk %s finds its retries %s, which do not sort after it', async (chunk, retries) => {
    const { table } = await accepted([chunk]);
    const end = outcomeOf(chunk, headerOf({ retried: 1 }));
    await applyOutcomes(table, BATCH, [end], AT);

    const again = await applyOutcomes(table, BATCH, [end], AT);

    expect(again?.repeated.map((row) => row.chunk)).toEqual([retries]);
  });

  test('counts once if it is in a message twice', async () => {
    const { table } = await accepted(['000000']);
    const end = outcomeOf('000000');

    const applied = await applyOutcomes(table, BATCH, [end, end], AT);

    expect(applied?.batch).toMatchObject({ succeeded: 4, duplicatesSeen: 1 });
  });

  test('that another collector has applied is dropped, and the others are applied', async () => {
    const store = await accepted(['000000', '000001']);
    const [first, second] = ['000000', '000001'].map((chunk) => outcomeOf(chunk));
    if (!first || !second) throw new Error('unreachable');
    let rival = true;
    store.before(async (name) => {
      if (name !== 'table.write' || !rival) return;
      rival = false;
      await applyOutcomes(store.table, BATCH, [first], AT);
    });

    const applied = await applyOutcomes(store.table, BATCH, [first, second], AT);

    expect([...(applied?.fresh ?? [])]).toEqual(['000001']);
    expect(applied?.batch).toMatchObject({ succeeded: 8, chunksDone: 2, duplicatesSeen: 1 });
  });

  test('belongs to the message that reported it, at each delivery of that message', async () => {
    const { table } = await accepted(['000000', '000001', '000002']);
    const first = [outcomeOf('000000', headerOf(), 'a'), outcomeOf('000001', headerOf({ dead: 1 }), 'a')];
    // A worker died after it sent its message. The next worker sent the first chunk again, together with another one.
    const second = [outcomeOf('000000', headerOf(), 'b'), outcomeOf('000002', headerOf(), 'b')];
    const ownOf = async (ends: ReportedOutcome[]) => {
      const applied = await applyOutcomes(table, BATCH, ends, AT);
      return applied?.recorded.map(({ chunk, message }) => [chunk, message]);
    };

    const ofFirst = [
      ['000000', 'a'],
      ['000001', 'a'],
    ];
    expect(await ownOf(first)).toEqual(ofFirst);
    expect(await ownOf(second)).toEqual([['000002', 'b']]);
    const both = [...ofFirst, ['000002', 'b']];
    expect((await ownOf([...second, ...first]))?.sort()).toEqual(both);
    expect((await ownOf([...first, ...second]))?.sort()).toEqual(both);
  });

  test('of a batch that no longer exists has no effect', async () => {
    const applied = applyOutcomes(memoryTable().table, BATCH, [outcomeOf('000000')], AT);
    await expect(applied).rejects.toMatchObject({ name: 'BatchGoneError', isBeingDeleted: false });
  });

  test('does not change the states "enqueueing" and "cancelling"', async () => {
    const { table } = await accepted(['000000', '000001']);
    await changeBatch(table, BATCH, () => ({ state: 'cancelling' }));

    const applied = await applyOutcomes(table, BATCH, [outcomeOf('000000')], AT);

    expect(applied?.batch.state).toBe('cancelling');
  });
});
