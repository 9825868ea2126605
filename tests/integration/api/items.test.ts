import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chunkRows } from '../../../shared/batches/ledger.ts';
import { cancelBatch } from '../../../shared/commands/cancel.ts';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import { splitChunkId } from '../../../shared/contract/names.ts';
import { changeGate } from '../../../shared/gate/gate-store.ts';
import { batchViewSchema } from '../../../shared/http/batches/schemas.ts';
import { batchView } from '../../../shared/http/batches/view/batch-view.ts';
import { discardDeadLetters, REDRIVE_PLACES } from '../../../shared/http/dead-letters/redrive-dead-letters.ts';
import { discardAnswerSchema } from '../../../shared/http/dead-letters/schemas.ts';
import { createBodyPlaces } from '../../../shared/http/edge/request/body-places.ts';
import { getItem } from '../../../shared/http/items/get-item.ts';
import { getItems, listItems } from '../../../shared/http/items/list-items.ts';
import { foundItemsSchema, itemListSchema, itemSchema } from '../../../shared/http/items/schemas.ts';
import { putOutcome } from '../../../shared/processing/outcome/outcome-store.ts';
import { splitChunk } from '../../../shared/processing/outcome/unrun-outcomes.ts';
import { collectBatch } from '../../../shared/results/collect-batch.ts';
import { BASIS } from '../../helpers/fakes/receipt-basis.ts';
import { measure } from '../../helpers/measure.ts';
import { type Answer, call, nextOf } from './call.ts';
import { type Pipeline, startPipeline } from './pipeline.ts';

const BIG = '12345678901234567890';
let pipeline: Pipeline;
let batch: string;

/** Seven items in chunks of three: results, a retry, and two that die. */
beforeAll(async () => {
  pipeline = await startPipeline();
  const lines = [
    '{"id":"a"}',
    '{"id":"b","failUntil":3,"note":"second try"}',
    `{"id":"c","note":"n","serial":${BIG}}`,
    '{"id":"d","reject":"closed"}',
    '',
    '{"id":"e"}',
    '{"id":5}',
    '{"id":"a"}',
  ];
  batch = (await pipeline.submitText(lines.join('\n'))).id;
  await pipeline.finish(batch);
});
afterAll(() => pipeline.stop());

const deps = () => ({ table: pipeline.clients.batches, container: pipeline.clients.container });
const get = (position: string, id = batch): Promise<Answer> =>
  call((request) => getItem(deps(), request), `batches/${id}/items/${position}`, { params: { id, position } });
const find = (query: string, id = batch): Promise<Answer> =>
  call((request) => getItems({ ...deps(), registry: pipeline.registry }, request), `batches/${id}/items?${query}`, {
    params: { id },
  });
const itemIn = async (answer: Promise<Answer>) => itemSchema.parse((await answer).json());
const endsOf = ({ steps }: Awaited<ReturnType<typeof itemIn>>) => steps.map(({ chunk, end }) => [chunk, end]);

/** The state after the death of a process that ran the chunk alone. */
async function splitFirstChunk(id: string): Promise<void> {
  for await (const row of chunkRows(pipeline.clients.batches, id, { state: 'pending' })) {
    const results = pipeline.clients.container('results');
    const { header } = await putOutcome(results, row.reference, splitChunk(row.reference, 2));
    const end = { chunk: row.chunk, header, message: row.chunk };
    await collectBatch(pipeline.deps, id, { workload: 'echo', outcomes: [end] });
    return;
  }
}

describe('GET batches/{id}/items/{position}', () => {
  it('finds the result of an item among those of its chunk', async () => {
    const third = await itemIn(get('2'));
    expect(third).toMatchObject({ position: 2, line: 3, state: 'succeeded', result: { id: 'c', note: 'n' } });
    expect(endsOf(third)).toEqual([['000000', 'succeeded']]);
    expect(third.steps[0]?.attempts).toBe(0);
    expect((await get('2')).text).toContain(`"serial":${BIG}`);
    expect(await itemIn(get('4'))).toMatchObject({ line: 6, state: 'succeeded', result: { id: 'e' } });
  });

  it('follows an item through its retries', async () => {
    const second = await itemIn(get('1'));
    expect(endsOf(second)).toEqual([
      ['000000', 'retried'],
      ['000000.r1', 'retried'],
      ['000000.r2', 'succeeded'],
    ]);
    expect(second.steps.map(({ attempts }) => attempts)).toEqual([1, 2, 2]);
    expect(second.steps[0]?.error).toBe('attempt 1 of "b" failed');
    expect(second.result).toEqual({ id: 'b', amount: 1, note: 'second try' });
  });

  it('shows a dead letter, and after a redrive its continuation', async () => {
    const { id } = await pipeline.submit([{ id: 'x' }, { id: 'y', reject: 'closed' }]);
    await pipeline.finish(id);
    const dead = await itemIn(get('1', id));
    expect(dead).toMatchObject({ state: 'dead', deadLetter: { reason: 'rejected', item: { id: 'y' } } });

    const selection = { corrected: [{ index: 1, json: '{"id":"y"}' }] };
    await redrive(pipeline.deps, { batch: id, key: 'again', selection });
    expect(endsOf(await itemIn(get('1', id)))).toEqual([
      ['000000', 'dead'],
      ['v0001.000000', 'pending'],
    ]);
    await pipeline.finish(id);
    expect(await itemIn(get('1', id))).toMatchObject({ state: 'succeeded', result: { id: 'y' } });
    expect(endsOf(await itemIn(get('0', id)))).toEqual([['000000', 'succeeded']]);
  });

  it('finds the part of a split chunk that contains the item', async () => {
    const { id } = await pipeline.submit([{ id: 'x' }, { id: 'y' }, { id: 'z' }]);
    await splitFirstChunk(id);
    await pipeline.finish(id);
    expect(endsOf(await itemIn(get('2', id)))).toEqual([
      ['000000', 'split'],
      [splitChunkId('000000', 1), 'succeeded'],
    ]);
    expect((await itemIn(get('2', id))).result).toMatchObject({ id: 'z' });
  });

  it('shows unfinished items as pending', async () => {
    const { id } = await pipeline.submit([{ id: 'x' }]);
    expect(await itemIn(get('0', id))).toMatchObject({ state: 'pending', item: { id: 'x' } });
  });

  it('answers 404 after the payload was deleted', async () => {
    const { id } = await pipeline.submit([{ id: 'x' }]);
    for await (const { name } of pipeline.clients.container('payloads').listBlobsFlat())
      if (name.includes(id)) await pipeline.clients.container('payloads').deleteBlob(name);
    const answer = await get('0', id);
    expect([answer.status, answer.text]).toEqual([
      404,
      expect.stringContaining(`The payload of batch ${id} was deleted.`),
    ]);
  });

  it.each(['7', '-1', '1.5', 'x'])('answers 404 for position %s of seven items', async (position) => {
    const answer = await get(position);
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('0 to 6');
  });
});

describe('GET batches/{id}/items?itemId=', () => {
  it('finds all items with an id, by the option of the workload', async () => {
    const { positions, scanned } = foundItemsSchema.parse((await find('itemId=a')).json());
    expect(positions).toEqual([0, 6]);
    expect(scanned).toEqual({ from: 0, items: 7 });
  });

  it('reads the id of an invalid item, too', async () => {
    expect(foundItemsSchema.parse((await find('itemId=5')).json()).positions).toEqual([5]);
  });

  it('continues from a position in the middle of a chunk', async () => {
    const answer = await find('itemId=a&from=4');
    expect(foundItemsSchema.parse(answer.json())).toMatchObject({ positions: [6], scanned: { from: 3, items: 4 } });
    expect(nextOf(answer)).toBeUndefined();
  });

  it('refuses a workload without that option, and an invalid id', async () => {
    const { id } = await pipeline.submit([{ id: 'x' }], { workload: 'other' });
    const answer = await find('itemId=x', id);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('has no option \\"id\\"')]);
    expect((await find('itemId=')).status).toBe(400);
  });
});

describe('GET batches/{id}/items', () => {
  const list = async (query = '', id = batch) => {
    const answer = await find(query, id);
    return { ...itemListSchema.parse(answer.json()), next: nextOf(answer), text: answer.text };
  };
  /** Position, state and failed attempts of each item, and its latest failure. */
  const statesOf = async (id: string) =>
    (await list('', id)).items.map(({ position, state, attempts, error }) => [position, state, attempts, error]);
  /** The same values from the route of a single item. */
  const trailsOf = async (id: string, items: number) => {
    const trails: unknown[] = [];
    for (let position = 0; position < items; position += 1) {
      const { steps, state } = await itemIn(get(String(position), id));
      trails.push([position, state, steps.at(-1)?.attempts, steps.at(-1)?.error]);
    }
    return trails;
  };

  it('shows the state of every item, with its id, failed attempts and latest failure', async () => {
    const { batch: id, items, next } = await list();
    expect([id, next]).toEqual([batch, undefined]);
    expect(items).toEqual([
      { position: 0, id: 'a', state: 'succeeded', attempts: 0 },
      { position: 1, id: 'b', state: 'succeeded', attempts: 2 },
      { position: 2, id: 'c', state: 'succeeded', attempts: 0 },
      { position: 3, id: 'd', state: 'dead', attempts: 1, error: 'closed' },
      { position: 4, id: 'e', state: 'succeeded', attempts: 0 },
      { position: 5, id: '5', state: 'dead', attempts: 0, error: expect.stringContaining('id: ') },
      { position: 6, id: 'a', state: 'succeeded', attempts: 0 },
    ]);
    expect(await statesOf(batch)).toEqual(await trailsOf(batch, 7));
  });

  it('includes the stored results on request', async () => {
    const { items, text } = await list('results&from=1&limit=3');
    expect(items.map(({ position, result }) => [position, result])).toEqual([
      [1, { id: 'b', amount: 1, note: 'second try' }],
      [2, expect.objectContaining({ id: 'c', note: 'n' })],
      [3, undefined],
    ]);
    expect(text).toContain('"result":{"id":"b","amount":1,"note":"second try"}}');
    expect((await list()).text).not.toContain('"result"');
  });

  it('pages by positions, also in the middle of a chunk', async () => {
    const seen: number[][] = [];
    for (let query: string | undefined = 'limit=2&results'; query !== undefined; ) {
      const { items, next } = await list(query);
      seen.push(items.map(({ position }) => position));
      query = next?.split('?')[1];
    }
    expect(seen).toEqual([[0, 1], [2, 3], [4, 5], [6]]);
    expect((await list('from=7')).items).toEqual([]);
  });

  it('shows only items in a state, across chunks without any', async () => {
    const dead = await list('state=dead&limit=1');
    expect([dead.items.map(({ position }) => position), dead.next]).toEqual([[3], expect.stringContaining('from=4')]);
    const { items, next } = await list('state=dead&from=4');
    expect([items.map(({ position }) => position), next]).toEqual([[5], undefined]);
    expect((await list('state=cancelled')).items).toEqual([]);
  });

  it.each([{ chunks: 1 }, { items: 1 }, { bytes: 1 }])(
    'stops after a chunk when it has read the maximum (%j)',
    async (most) => {
      const all = { chunks: 9, items: 99, bytes: 9_999, ...most };
      const pages: number[][] = [];
      let path: string | undefined = `batches/${batch}/items?state=dead`;
      while (path !== undefined) {
        const own = { ...deps(), registry: pipeline.registry };
        const bounds = { scan: all, group: { chunks: 9, items: 9 } };
        const answer = await call((request) => listItems(own, request, bounds), path, { params: { id: batch } });
        pages.push(itemListSchema.parse(answer.json()).items.map(({ position }) => position));
        path = nextOf(answer);
      }
      expect(pages).toEqual([[], [3, 5], []]);
    },
  );

  it('stops when it has read the maximum of failures, however small the items are', async () => {
    const { id } = await pipeline.submit(Array.from({ length: 7 }, () => ({ id: 'x', reject: 'r'.repeat(1_000) })));
    await pipeline.finish(id);
    const own = { ...deps(), registry: pipeline.registry };
    // Of chunks of three items: the upload has under 10,000 bytes, and the dead letters of a chunk about 4,000.
    const bounds = { scan: { chunks: 9, items: 99, bytes: 10_500 }, group: { chunks: 9, items: 1 } };
    const path = `batches/${id}/items?state=succeeded`;
    const answer = await call((request) => listItems(own, request, bounds), path, { params: { id } });

    expect(nextOf(answer)).toContain('from=3');
  });

  it.each(['state=retried', 'limit=0', 'limit=10001', 'from=-1'])('refuses %s', async (query) => {
    expect((await find(query)).status).toBe(400);
  });

  it('follows the items of a batch through running chunks, retries, splits, dead letters, redrives and a cancellation', async () => {
    const { id } = await pipeline.submit([
      ...[{ id: 'x' }, { id: 'y', failUntil: 2 }, { id: 'z', reject: 'closed' }],
      ...[{ id: 'p', reject: 'no' }, { id: 'q' }, { id: 'r' }],
    ]);
    const pending = (position: number) => [position, 'pending', 0, undefined];
    expect(await statesOf(id)).toEqual([0, 1, 2, 3, 4, 5].map(pending));

    await splitFirstChunk(id);
    // The first part of the chunk that was split.
    await pipeline.work(id, 1);
    expect(await statesOf(id)).toEqual([[0, 'succeeded', 0, undefined], ...[1, 2, 3, 4, 5].map(pending)]);
    await pipeline.work(id);
    expect(await statesOf(id)).toEqual([
      [0, 'succeeded', 0, undefined],
      [1, 'pending', 1, 'attempt 1 of "y" failed'],
      [2, 'dead', 1, 'closed'],
      [3, 'dead', 1, 'no'],
      [4, 'succeeded', 0, undefined],
      [5, 'succeeded', 0, undefined],
    ]);
    expect(await statesOf(id)).toEqual(await trailsOf(id, 6));
    await pipeline.finish(id);

    await redrive(pipeline.deps, {
      batch: id,
      key: 'one',
      selection: { corrected: [{ index: 3, json: '{"id":"p"}' }] },
    });
    expect((await statesOf(id))[3]).toEqual(pending(3));
    await pipeline.finish(id);
    await redrive(pipeline.deps, { batch: id, key: 'two', selection: { items: [2] } });
    await cancelBatch(pipeline.deps, id);
    await pipeline.work(id);
    const states = await statesOf(id);
    expect(states).toEqual(await trailsOf(id, 6));
    expect(states.map(([, state]) => state)).toEqual([
      ...['succeeded', 'succeeded', 'cancelled', 'succeeded', 'succeeded', 'succeeded'],
    ]);
    const { items } = await list('results&state=succeeded', id);
    expect(items.map(({ id: name, result }) => [name, result])).toEqual(
      ['x', 'y', 'p', 'q', 'r'].map((name) => [name, { id: name, amount: 1 }]),
    );
  });

  it('shows a discarded dead letter as discarded, with the reason', async () => {
    const { id } = await pipeline.submit([{ id: 'x' }, { id: 'y', reject: 'closed' }]);
    await pipeline.finish(id);
    const discard = (body: object) =>
      call(
        (request) => discardDeadLetters({ ...pipeline, redrivePlaces: createBodyPlaces(REDRIVE_PLACES) }, request),
        `batches/${id}/dead-letters/discard`,
        {
          ...{ method: 'POST', params: { id }, body: JSON.stringify(body) },
        },
      );

    const answer = await discard({ reason: ' test\norders', key: 'k' });

    expect([answer.status, discardAnswerSchema.parse(answer.json())]).toMatchObject([
      202,
      { revision: 1, discarded: 1 },
    ]);
    expect((await discard({ reason: ' test\norders', key: 'k' })).json()).toEqual(answer.json());
    const { state, steps, deadLetter } = await itemIn(get('1', id));
    expect([state, steps.at(-1), deadLetter]).toMatchObject(['discarded', { reason: 'test orders' }, undefined]);
    const { items } = await list('state=discarded', id);
    expect(items).toEqual([{ position: 1, id: 'y', state: 'discarded', reason: 'test orders' }]);
    expect(await statesOf(id)).toEqual(await trailsOf(id, 2));
    const row = await pipeline.finish(id);
    expect(batchViewSchema.parse(batchView(row, pipeline.deps.gate.now(), BASIS))).toMatchObject({
      ...{ state: 'completed', counts: { dead: 0, discarded: 1, pending: 0 } },
      revisions: [{ kind: 'upload' }, { kind: 'discard', reason: 'test orders', items: 1, latencyMs: null }],
    });
  });

  it('shows cancelled items as cancelled', async () => {
    const { id } = await pipeline.submit(Array.from({ length: 6 }, (_, n) => ({ id: `i${n}` })));
    await pipeline.work(id, 1);
    await changeGate(pipeline.deps.gate.table, 'echo-normal-0', () => ({ status: 'idle' }));
    await cancelBatch(pipeline.deps, id);
    await pipeline.work(id);
    expect((await list('', id)).items.map(({ state }) => state)).toEqual([
      ...['succeeded', 'succeeded', 'succeeded', 'cancelled', 'cancelled', 'cancelled'],
    ]);
  });

  it('reads rows by one query, nothing more for chunks without failures, and records and results once per chunk', async () => {
    const records = Array.from({ length: 12 }, (_, n) => ({ id: `i${n}` }));
    const spent = async (query: string, id: string) => {
      const { value, operations } = await measure(pipeline.clients.meter, () => list(query, id));
      expect(value.items).toHaveLength(12);
      const { 'table.query': queries, ...others } = operations;
      // As in Azure, a page of a query may be empty.
      expect(queries).toBeLessThanOrEqual(2);
      return others;
    };
    const { id: plain } = await pipeline.submit(records, { workload: 'other' });
    await pipeline.finish(plain);
    // The batch row, and the index of the payload.
    expect(await spent('', plain)).toEqual({ 'table.get': 1, 'blob.get': 1 });
    expect((await list('', plain)).items[0]).toEqual({ position: 0, state: 'succeeded', attempts: 0 });
    const { id } = await pipeline.submit(records);
    await pipeline.finish(id);
    expect(await spent('results', id)).toEqual({ 'table.get': 1, 'blob.get': 1 + 4 + 4 });
  });
});
