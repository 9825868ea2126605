import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chunkRows } from '../../../shared/batches/ledger.ts';
import { redrive } from '../../../shared/commands/redrive/redrive.ts';
import { splitChunkId } from '../../../shared/contract/names.ts';
import { findItems } from '../../../shared/http/items/find-items.ts';
import { getItem } from '../../../shared/http/items/get-item.ts';
import { foundItemsSchema, itemSchema } from '../../../shared/http/items/schemas.ts';
import { splitChunk } from '../../../shared/processing/outcome/endings.ts';
import { putOutcome } from '../../../shared/processing/outcome/outcome-store.ts';
import { collectBatch } from '../../../shared/results/collect-round.ts';
import { type Answer, call, nextOf, type Pipeline, startPipeline } from './pipeline.ts';

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
  call((request) => findItems({ ...deps(), registry: pipeline.registry }, request), `batches/${id}/items?${query}`, {
    params: { id },
  });
const itemIn = async (answer: Promise<Answer>) => itemSchema.parse((await answer).json());
const endsOf = ({ steps }: Awaited<ReturnType<typeof itemIn>>) => steps.map(({ chunk, end }) => [chunk, end]);

/** As after the death of a process that ran the chunk alone. */
async function splitFirstChunk(id: string): Promise<void> {
  for await (const { row } of chunkRows(pipeline.clients.batches, id, 'pending')) {
    const results = pipeline.clients.container('results');
    const { header } = await putOutcome(results, row.reference, splitChunk(row.reference, 2));
    const end = { chunk: row.chunk, header, message: row.chunk };
    await collectBatch(pipeline.deps, id, { ends: [end], operations: {} });
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

  it('shows a dead letter, and after a redrive what follows from it', async () => {
    const { id } = await pipeline.submit([{ id: 'x' }, { id: 'y', reject: 'closed' }]);
    await pipeline.finish(id);
    const dead = await itemIn(get('1', id));
    expect(dead).toMatchObject({ state: 'dead', deadLetter: { reason: 'rejected', item: { id: 'y' } } });

    const selection = { corrected: [{ index: 1, item: { id: 'y' } }] };
    await redrive(pipeline.deps, { batch: id, key: 'again', selection });
    expect(endsOf(await itemIn(get('1', id)))).toEqual([
      ['000000', 'dead'],
      ['v0001.000000', 'pending'],
    ]);
    await pipeline.finish(id);
    expect(await itemIn(get('1', id))).toMatchObject({ state: 'succeeded', result: { id: 'y' } });
    expect(endsOf(await itemIn(get('0', id)))).toEqual([['000000', 'succeeded']]);
  });

  it('finds the part of a split chunk that has the item', async () => {
    const { id } = await pipeline.submit([{ id: 'x' }, { id: 'y' }, { id: 'z' }]);
    await splitFirstChunk(id);
    await pipeline.finish(id);
    expect(endsOf(await itemIn(get('2', id)))).toEqual([
      ['000000', 'split'],
      [splitChunkId('000000', 1), 'succeeded'],
    ]);
    expect((await itemIn(get('2', id))).result).toMatchObject({ id: 'z' });
  });

  it('says pending of what has not ended', async () => {
    const { id } = await pipeline.submit([{ id: 'x' }]);
    expect(await itemIn(get('0', id))).toMatchObject({ state: 'pending', item: { id: 'x' } });
  });

  it.each(['7', '-1', '1.5', 'x'])('answers 404 for position %s of seven items', async (position) => {
    const answer = await get(position);
    expect(answer.status).toBe(404);
    expect(answer.text).toContain('0 to 6');
  });
});

describe('GET batches/{id}/items?itemId=', () => {
  it('finds all items with an id, by the option of the workload', async () => {
    const { positions, lookedAt } = foundItemsSchema.parse((await find('itemId=a')).json());
    expect(positions).toEqual([0, 6]);
    expect(lookedAt).toEqual({ from: 0, items: 7 });
  });

  it('reads the id of an item that does not fit the schema, too', async () => {
    expect(foundItemsSchema.parse((await find('itemId=5')).json()).positions).toEqual([5]);
  });

  it('goes on from a position in the middle of a chunk', async () => {
    const answer = await find('itemId=a&from=4');
    expect(foundItemsSchema.parse(answer.json())).toMatchObject({ positions: [6], lookedAt: { from: 3, items: 4 } });
    expect(nextOf(answer)).toBeUndefined();
  });

  it('refuses a workload without that option, and an id that cannot be one', async () => {
    const { id } = await pipeline.submit([{ id: 'x' }], { workload: 'other' });
    const answer = await find('itemId=x', id);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('has no option \\"id\\"')]);
    expect((await find('itemId=')).status).toBe(400);
  });
});
