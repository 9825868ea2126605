import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listBatchesOf } from '../../../shared/batches/listing/listing.ts';
import { cancelBatch } from '../../../shared/commands/cancel.ts';
import { deleteBatch } from '../../../shared/commands/delete.ts';
import { currentDeadLetters } from '../../../shared/commands/redrive/current-dead.ts';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import type { Selection } from '../../../shared/commands/redrive/select.ts';
import { batchDate, CONTAINERS, outcomeBlobName } from '../../../shared/contract/names.ts';
import { batchView } from '../../../shared/http/batches/view/batch-view.ts';
import { sweep } from '../../../shared/sweep/sweep.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { dyingAt } from '../../helpers/fakes/crashes.ts';
import { BASIS } from '../../helpers/fakes/receipt-basis.ts';
import { echo, type Item } from '../in-process/echo.ts';
import { downstream, itemsOf, startWorld, type World } from '../in-process/world.ts';

const MINUTE = 60_000;
let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());
afterEach(() => downstream.broken.clear());

const redriveOf = (batch: string, selection: Selection, key = 'k', deps = world.deps) =>
  redrive(deps, { batch, key, selection });

describe('a redrive', () => {
  it('completes a batch with dead letters, with a new report', async () => {
    const id = await world.submitWithDead('b', 'c');
    expect(await world.batch(id)).toMatchObject({ state: 'completedWithDeadLetters', succeeded: 3, dead: 6 });
    expect(await redriveOf(id, {})).toMatchObject({ revision: 1, redriven: 6, unreadable: 0, chunks: 2 });
    expect(await world.batch(id)).toMatchObject({ state: 'queued', succeeded: 3, dead: 0, announced: false });
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({
      ...{ state: 'completed', succeeded: 9, dead: 0, revision: 1, reportRevision: 1, announced: true },
    });
    expect(await world.report(id, 0)).toEqual({ a: { items: 3, amount: 9 } });
    expect(await world.report(id, 1)).toEqual({
      a: { items: 3, amount: 9 },
      b: { items: 3, amount: 12 },
      c: { items: 3, amount: 15 },
    });
    expect(await world.deadIndices(id)).toEqual([]);
  });

  it('runs only the dead letters of one cause', async () => {
    const id = await world.submitWithDead('b', 'c');
    const causes = new Set<string>();
    for await (const { item } of currentDeadLetters(world.deps, await world.batch(id))) causes.add(item.error.message);
    expect([...causes].sort()).toEqual(['b is broken', 'c is broken']);
    const all = { 'rejected: Reject: b is broken': 3, 'rejected: Reject: c is broken': 3 };
    expect((await world.batch(id)).causes).toEqual(all);
    expect(await redriveOf(id, { cause: 'rejected: Reject: b is broken' })).toMatchObject({ redriven: 3 });
    const left = { 'rejected: Reject: c is broken': 3 };
    expect((await world.batch(id)).causes).toEqual(left);
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({
      state: 'completedWithDeadLetters',
      succeeded: 6,
      dead: 3,
      causes: left,
    });
    expect(await world.deadIndices(id)).toEqual([2, 5, 8]);
  });

  it('runs the given items, and corrected items instead of the uploaded ones', async () => {
    const id = await world.submitWithDead('b');
    downstream.broken.add('b');
    const corrected = [{ index: 4, json: '{"id":"i4","part":"d","amount":100}' }];
    expect(await redriveOf(id, { items: [1], corrected })).toMatchObject({ redriven: 2 });
    await world.drainAll();
    const causes = { 'rejected: Reject: b is broken': 2 };
    expect(await world.batch(id)).toMatchObject({ succeeded: 7, dead: 2, revision: 1, causes });
    expect(await world.deadIndices(id)).toEqual([1, 7]);
    expect(await world.report(id, 1)).toMatchObject({ d: { items: 1, amount: 100 } });
    downstream.broken.clear();
    expect(await redriveOf(id, {}, 'again')).toMatchObject({ revision: 2, redriven: 2 });
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'completed', succeeded: 9, dead: 0, reportRevision: 2 });
    expect(await world.report(id, 2)).toMatchObject({ b: { items: 2, amount: 8 }, d: { items: 1, amount: 100 } });
  });

  it('of a suspect batch ends with a state that follows from the items that it runs', async () => {
    // Dead letters like those of a file for another schema.
    const { id } = await world.submit(itemsOf(7).map(({ id: order }) => ({ order })) as unknown as Item[]);
    await world.drainAll();
    const cause = expect.stringMatching(/^invalid: InvalidItem: id: Invalid input: expected string/);
    const message = [
      ...['id', 'part'].map((name) => `${name}: Invalid input: expected string, received undefined`),
      'amount: Invalid input: expected number, received undefined',
    ].join('; ');
    expect(await world.batch(id)).toMatchObject({
      ...{ state: 'suspect', succeeded: 0, dead: 7, announced: true, reportRevision: 0 },
      suspect: { causes: [{ cause, count: 7, example: { position: 0, message } }] },
    });

    expect(await redriveOf(id, {}, 'as they are')).toMatchObject({ redriven: 7 });
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({
      ...{ state: 'suspect', succeeded: 0, dead: 7, revision: 1 },
      suspect: { causes: [{ cause, count: 7, example: { position: 0, message } }] },
    });

    const corrected = itemsOf(7).map((item, index) => ({ index, json: JSON.stringify(item) }));
    expect(await redriveOf(id, { corrected: corrected.slice(3, 5) }, 'some')).toMatchObject({ redriven: 2 });
    await world.drainAll();
    const some = await world.batch(id);
    expect([some.state, some.succeeded, some.suspect]).toEqual(['completedWithDeadLetters', 2, undefined]);

    expect(await redriveOf(id, { corrected: [...corrected.slice(0, 3), ...corrected.slice(5)] }, 'rest')).toMatchObject(
      {
        redriven: 5,
      },
    );
    await world.drainAll();
    const all = await world.batch(id);
    expect([all.state, all.succeeded, all.dead, all.suspect]).toEqual(['completed', 7, 0, undefined]);
  });

  it('returns the first answer for a repeated key, and refuses another request with that key', async () => {
    const id = await world.submitWithDead('b');
    const first = await redriveOf(id, {});
    expect(await redriveOf(id, {})).toEqual(first);
    await world.drainAll();
    expect(await redriveOf(id, {})).toEqual(first);
    await expect(redriveOf(id, { items: [1] })).rejects.toMatchObject({ type: 'idempotency-mismatch' });
    expect(await world.batch(id)).toMatchObject({ revision: 1, succeeded: 9 });
  });

  it('is refused while the batch runs, and if no dead letter matches', async () => {
    downstream.broken.add('b');
    const { id } = await world.submit(itemsOf(9));
    await expect(redriveOf(id, {})).rejects.toMatchObject({
      type: 'conflict',
      message: expect.stringMatching(/is queued/),
    });
    await world.drainAll();
    await expect(redriveOf(id, { items: [0] })).rejects.toMatchObject({ type: 'conflict' });
    await expect(redriveOf(id, { cause: 'no such' })).rejects.toMatchObject({ type: 'conflict' });
    expect(await world.batch(id)).toMatchObject({ revision: 0, dead: 3 });
  });

  it('accepts one of two keys at the same time', async () => {
    const id = await world.submitWithDead('b');
    const both = await Promise.allSettled([redriveOf(id, {}, 'x'), redriveOf(id, { items: [1] }, 'y')]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await world.drainAll();
    expect((await world.batch(id)).revision).toBe(1);
    const [loser] = both.map(({ status }, n) => (status === 'rejected' ? n : undefined)).filter((n) => n !== undefined);
    // The loser's selection was for a revision that another redrive took. With the same key it may be created again.
    if (loser === 0) await expect(redriveOf(id, {}, 'x')).resolves.toMatchObject({ revision: 2 });
    else await expect(redriveOf(id, { items: [1] }, 'y')).rejects.toMatchObject({ type: 'conflict' });
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'completed', succeeded: 9 });
  });

  it('distributes items over time by a rate', async () => {
    const id = await world.submitWithDead('b');
    expect(await redriveOf(id, { ratePerSecond: 0.2 })).toMatchObject({ redriven: 3, chunks: 3 });
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'running', succeeded: 7, dead: 0 });
    expect(world.topic.events.some(({ queue, scheduled }) => scheduled && queue === 'echo-normal-0')).toBe(true);
    await cancelRest(id);
  });

  it('inserts its first rows in the opening transaction, and the rows beyond its limit afterwards', async () => {
    downstream.broken.add('b');
    const { id } = await world.submit(Array.from({ length: 120 }, (_, n) => ({ id: `i${n}`, part: 'b', amount: 1 })));
    await world.drainAll();
    downstream.broken.clear();
    expect(await redriveOf(id, { ratePerSecond: 1_000 })).toMatchObject({ redriven: 120, chunks: 40 });
    await world.drainAll();
    expect(await world.report(id, 1)).toEqual({ b: { items: 120, amount: 120 } });
  });
});

describe('a redrive of the report alone', () => {
  /** An app with another reduce, on the same storage. */
  const deployed = (reduce: Partial<Required<typeof echo>['reduce']>) => ({
    ...world.deps,
    registry: createRegistry([{ ...echo, reduce: { ...(echo.reduce as Required<typeof echo>['reduce']), ...reduce } }]),
  });
  const broken = {
    merge: () => {
      throw new TypeError('no amount');
    },
  };

  /** A batch of nine items, three of them dead, that ended with a broken `merge`. */
  async function withoutReport(): Promise<string> {
    downstream.broken.add('b');
    const { id } = await world.submit(itemsOf(9));
    world.topic.events.length = 0;
    await world.drainUnasked('echo-normal-0');
    await world.collectAs(deployed(broken));
    downstream.broken.clear();
    return id;
  }

  it('creates the exact report of a batch whose merge threw, and runs no handler again', async () => {
    const id = await withoutReport();
    expect(await world.batch(id)).toMatchObject({
      ...{ state: 'reportFailed', succeeded: 6, dead: 3, reportRevision: -1, announced: true },
      reportProblem: 'The merge of key "a" failed: TypeError: no amount',
    });
    expect(await listedState(id)).toBe('reportFailed');
    downstream.broken.add('a');
    const before = await resultsOf(id);

    expect(await redriveOf(id, { report: true })).toMatchObject({ revision: 1, redriven: 0, chunks: 0 });

    expect(await world.batch(id)).toMatchObject({
      ...{ state: 'completedWithDeadLetters', succeeded: 6, dead: 3, revision: 1, reportRevision: 1, announced: true },
    });
    expect(await listedState(id)).toBe('completedWithDeadLetters');
    expect(await world.report(id, 1)).toEqual({ a: { items: 3, amount: 9 }, c: { items: 3, amount: 15 } });
    expect(await resultsOf(id)).toEqual(before);
    // The revision without items does not affect later revisions.
    expect(await world.deadIndices(id)).toEqual([1, 4, 7]);
    downstream.broken.clear();
    expect(await redriveOf(id, {}, 'rest')).toMatchObject({ revision: 2, redriven: 3 });
    await world.drainAll();
    expect(await world.batch(id)).toMatchObject({ state: 'completed', succeeded: 9, reportRevision: 2 });
    expect(await world.report(id, 2)).toMatchObject({ b: { items: 3, amount: 12 } });
  });

  it('is not needed if dead letters are redriven, because their revision also creates a report', async () => {
    const id = await withoutReport();

    expect(await redriveOf(id, {})).toMatchObject({ revision: 1, redriven: 3 });
    await world.drainAll();

    expect(await world.batch(id)).toMatchObject({ state: 'completed', reportRevision: 1 });
    await expect(redriveOf(id, { report: true }, 'late')).rejects.toMatchObject({
      ...{ type: 'conflict', message: `Batch ${id} is completed; only a report that failed can be redriven.` },
    });
    expect(await deleteBatch(world.deps, id)).toBe(true);
  });

  async function listedState(id: string): Promise<string | undefined> {
    const { batches } = await listBatchesOf(world.clients.batches, { days: [batchDate(id)], limit: 200 });
    return batches.find((batch) => batch.id === id)?.state;
  }

  /** Names and ETags of the blobs that the runs of the handlers have written. */
  async function resultsOf(id: string): Promise<string[]> {
    const prefix = outcomeBlobName('echo', id, '').replace(/[^/]*$/, '');
    const names: string[] = [];
    for await (const { name, properties } of world.clients.container(CONTAINERS.results).listBlobsFlat({ prefix }))
      names.push(`${name} ${properties.etag}`);
    return names;
  }
});

describe('the times of a redrive', () => {
  const HOUR = 60 * MINUTE;
  const view = async (id: string) => batchView(await world.batch(id), world.deps.gate.now(), BASIS);

  it('are its own: its duration, rate and latency do not include the hours before it', async () => {
    const id = await world.submitWithDead('b');
    const before = await view(id);
    world.wait(2 * HOUR);
    await redriveOf(id, {});
    await world.drainAll();

    const { times, revisions, latencyMs, ratePerSecond, deadline } = await view(id);

    const [first, second] = revisions;
    expect(Date.parse(String(times.completed)) - Date.parse(times.opened)).toBeLessThan(MINUTE);
    expect(Date.parse(times.opened) - Date.parse(times.accepted)).toBeGreaterThanOrEqual(2 * HOUR);
    expect(Date.parse(String(times.queued))).toBeGreaterThanOrEqual(Date.parse(times.opened));
    expect(Date.parse(String(times.started))).toBeGreaterThanOrEqual(Date.parse(times.opened));
    expect(Number(ratePerSecond)).toBeGreaterThan(0);
    expect(second).toMatchObject({ revision: 1, items: 3, opened: times.opened });
    expect(Number(second?.latencyMs?.max)).toBeLessThan(MINUTE);
    // The measurements of the upload stay.
    expect([first]).toEqual(before.revisions);
    expect([latencyMs, deadline]).toEqual([before.latencyMs, { at: before.times.deadline, met: true }]);
  });

  it('do not change a missed deadline, even if the redrive is fast', async () => {
    downstream.broken.add('b');
    const { id, deadlineAt } = await world.submit(itemsOf(9));
    world.wait(HOUR);
    await world.drainAll();
    downstream.broken.clear();
    expect((await view(id)).deadline).toEqual({ at: deadlineAt, met: false });
    await redriveOf(id, {});
    expect((await view(id)).deadline).toEqual({ at: deadlineAt, met: false });
    await world.drainAll();

    const { state, deadline } = await view(id);

    expect([state, deadline]).toEqual(['completed', { at: deadlineAt, met: false }]);
    const { batches } = await listBatchesOf(world.clients.batches, { days: [batchDate(id)], limit: 200 });
    expect(batches.find((batch) => batch.id === id)).toMatchObject({ revision: 1, deadlineMet: false });
  });
});

async function cancelRest(id: string): Promise<void> {
  await cancelBatch(world.deps, id);
  await world.drainAll();
  expect(await world.batch(id)).toMatchObject({ state: 'cancelled', succeeded: 7, cancelled: 2, dead: 0 });
}

describe('a redrive that is interrupted', () => {
  // Selection, open row, transaction, listing, two references, wake, queued.
  it.each(Array.from({ length: 9 }, (_, n) => n + 1))(
    'at write %i is completed by the sweep, or by its repeat',
    async (at) => {
      const id = await world.submitWithDead('b', 'c');
      world.topic.events.length = 0;
      const process = { writes: 0, dead: false };
      await redriveOf(id, {}, 'k', dyingAt(world.deps, at, process)).catch(() => undefined);
      const { revision } = await world.batch(id);
      world.wait(3 * MINUTE);
      if (revision === 1) await sweep(world.deps);
      else expect(await redriveOf(id, {})).toMatchObject({ revision: 1 });
      await world.drainAll();
      expect(await world.batch(id)).toMatchObject({ state: 'completed', succeeded: 9, revision: 1, announced: true });
      expect(await world.report(id, 1)).toMatchObject({ b: { items: 3, amount: 12 }, c: { items: 3, amount: 15 } });
      expect(await redriveOf(id, {})).toMatchObject({ revision: 1, redriven: 6 });
    },
  );
});
