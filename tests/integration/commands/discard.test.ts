import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listBatchesOf } from '../../../shared/batches/listing/listing.ts';
import { deleteBatch } from '../../../shared/commands/delete.ts';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import type { Selection } from '../../../shared/commands/redrive/select.ts';
import { batchDate } from '../../../shared/contract/names.ts';
import { batchView } from '../../../shared/http/batches/view/batch-view.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { dyingAt } from '../../helpers/fakes/crashes.ts';
import { BASIS } from '../../helpers/fakes/receipt-basis.ts';
import type { Item } from '../in-process/echo.ts';
import { downstream, inventory, itemsOf, startWorld, type World } from '../in-process/world.ts';

const MINUTE = 60_000;
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
afterEach(() => downstream.broken.clear());

/** Runs a batch like `submitWithDead`, and drops its events. */
async function withDead(...parts: string[]): Promise<string> {
  const id = await world.submitWithDead(...parts);
  world.topic.events.length = 0;
  return id;
}

const discardOf = (batch: string, choice: Omit<Selection, 'discard'> = {}, key = 'd', deps = world.deps) =>
  redrive(deps, { batch, key, selection: { ...choice, discard: 'test orders' } });

const REPORT = { a: { items: 3, amount: 9 }, c: { items: 3, amount: 15 } };

describe('a discard', () => {
  it('of all dead letters completes the batch with a new report, and publishes its end once', async () => {
    const id = await withDead('b');

    const answer = await discardOf(id);

    expect(answer).toMatchObject({ revision: 1, redriven: 3, unreadable: 0 });
    expect(await world.batch(id)).toMatchObject({
      ...{ state: 'completed', accepted: 9, succeeded: 6, dead: 0, discarded: 3, cancelled: 0 },
      ...{ revision: 1, revisionItems: 3, reportRevision: 1, announced: true, discardReason: 'test orders' },
    });
    expect([await world.report(id, 0), await world.report(id, 1)]).toEqual([REPORT, REPORT]);
    expect(await world.deadIndices(id)).toEqual([]);
    expect(world.topic.events).toEqual([
      expect.objectContaining({
        ...{ type: 'BatchCompleted', batch: id },
        details: { state: 'completed', revision: 1, counts: expect.objectContaining({ dead: 0, discarded: 3 }) },
      }),
    ]);
    const { batches } = await listBatchesOf(world.clients.batches, { days: [batchDate(id)], limit: 200 });
    expect(batches.find((batch) => batch.id === id)).toMatchObject({ state: 'completed', dead: 0, discarded: 3 });
  });

  it('takes only one cause or the given items, and leaves the others to a redrive', async () => {
    const id = await withDead('b', 'c');

    expect(await discardOf(id, { cause: 'rejected: Reject: b is broken' })).toMatchObject({ redriven: 3 });
    const causes = { 'rejected: Reject: c is broken': 3 };
    expect(await world.batch(id)).toMatchObject({ state: 'completedWithDeadLetters', dead: 3, discarded: 3, causes });
    expect(await discardOf(id, { items: [8, 2] }, 'named')).toMatchObject({ revision: 2, redriven: 2 });
    expect(await world.deadIndices(id)).toEqual([5]);
    expect(await redrive(world.deps, { batch: id, key: 'r', selection: {} })).toMatchObject({ redriven: 1 });
    await world.drainAll();

    expect(await world.batch(id)).toMatchObject({ state: 'completed', succeeded: 4, dead: 0, discarded: 5 });
    const { counts, revisions } = batchView(await world.batch(id), world.deps.gate.now(), BASIS);
    expect(counts).toMatchObject({ accepted: 9, succeeded: 4, dead: 0, discarded: 5, cancelled: 0, pending: 0 });
    expect(revisions.map(({ kind, items, reason }) => [kind, items, reason])).toEqual([
      ['upload', 9, undefined],
      ['discard', 3, 'test orders'],
      ['discard', 2, 'test orders'],
      ['redrive', 1, undefined],
    ]);
  });

  it('is permanent: a later redrive or discard does not find its items', async () => {
    const id = await withDead('b');
    await discardOf(id, { items: [1] });

    const again = { type: 'conflict', message: 'These items are not dead letters of this batch: 1.' };
    await expect(discardOf(id, { items: [1] }, 'again')).rejects.toMatchObject(again);
    const named = redrive(world.deps, { batch: id, key: 'r', selection: { items: [1] } });
    await expect(named).rejects.toMatchObject(again);
    await discardOf(id, {}, 'rest');
    await expect(discardOf(id, {}, 'none')).rejects.toMatchObject({
      type: 'conflict',
      message: expect.stringMatching(/no dead letters/),
    });

    expect(await world.batch(id)).toMatchObject({ state: 'completed', dead: 0, discarded: 3, revision: 2 });
  });

  it('returns the first answer for a repeated key, and refuses another request with that key', async () => {
    const id = await withDead('b');
    const first = await discardOf(id);

    expect(await discardOf(id)).toEqual(first);
    const mismatch = { type: 'idempotency-mismatch' };
    await expect(discardOf(id, { items: [1] })).rejects.toMatchObject(mismatch);
    await expect(redrive(world.deps, { batch: id, key: 'd', selection: {} })).rejects.toMatchObject(mismatch);
    expect(await world.batch(id)).toMatchObject({ revision: 1, discarded: 3 });
  });

  it('is refused while the batch runs', async () => {
    const { id } = await world.submit(itemsOf(9));
    await expect(discardOf(id)).rejects.toMatchObject({
      type: 'conflict',
      message: expect.stringMatching(/is queued/),
    });
    await world.drainAll();
  });

  it('accepts only one of a redrive and a discard at the same time', async () => {
    const id = await withDead('b');

    const both = await Promise.allSettled([discardOf(id), redrive(world.deps, { batch: id, key: 'r', selection: {} })]);
    await world.drainAll();

    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const { revision, succeeded, discarded, state } = await world.batch(id);
    expect([revision, succeeded + discarded, state]).toEqual([1, 9, 'completed']);
  });

  it('leaves a batch suspect until none of its dead letters is left', async () => {
    // Dead letters like those of a file for another schema.
    const { id } = await world.submit(itemsOf(7).map(({ id: order }) => ({ order })) as unknown as Item[]);
    await world.drainAll();
    const { suspect } = await world.batch(id);

    await discardOf(id, { items: [0, 1] });
    expect(await world.batch(id)).toMatchObject({ state: 'suspect', dead: 5, discarded: 2, suspect });
    await discardOf(id, {}, 'rest');

    const { state, dead, discarded, ...row } = await world.batch(id);
    expect([state, dead, discarded, row.suspect]).toEqual(['completed', 0, 7, undefined]);
  });

  it('is deleted with its batch', async () => {
    const id = await withDead('b');
    await discardOf(id);

    expect(await deleteBatch(world.deps, id)).toBe(true);

    expect((await inventory(world.clients)).filter((name) => name.includes(id))).toEqual([]);
  });
});

describe('a discard that is interrupted', () => {
  // Selection, row open, acceptance, listing, report, state, event, listing, announced, row open.
  it.each(Array.from({ length: 10 }, (_, n) => n + 1))(
    'at write %i is completed by the sweep, or by its repeat',
    async (at) => {
      const id = await withDead('b', 'c');
      const process = { writes: 0, dead: false };
      await discardOf(id, {}, 'd', dyingAt(world.deps, at, process)).catch(() => undefined);
      expect(process.dead).toBe(true);
      const { revision, dead, discarded } = await world.batch(id);
      expect(dead + discarded).toBe(6);
      world.wait(3 * MINUTE);

      if (revision === 1) await sweep(world.deps);
      else expect(await discardOf(id)).toMatchObject({ revision: 1 });

      expect(await world.batch(id)).toMatchObject({
        ...{ state: 'completed', succeeded: 3, dead: 0, discarded: 6, revision: 1, announced: true },
      });
      expect(await world.report(id, 1)).toEqual({ a: { items: 3, amount: 9 } });
      expect(world.topic.events.some(({ type, batch }) => type === 'BatchCompleted' && batch === id)).toBe(true);
      expect(await discardOf(id)).toMatchObject({ revision: 1, redriven: 6 });
      expect(await world.deadIndices(id)).toEqual([]);
    },
  );
});
