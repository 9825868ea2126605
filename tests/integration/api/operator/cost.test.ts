import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeBatch } from '../../../../shared/batches/ledger.ts';
import { batchDate } from '../../../../shared/contract/names.ts';
import { createOverhead } from '../../../../shared/cost/overhead.ts';
import { getCost } from '../../../../shared/http/cost/get-cost.ts';
import { costSchema } from '../../../../shared/http/cost/schemas.ts';
import { BASIS } from '../../../helpers/fakes/receipt-basis.ts';
import { call } from '../call.ts';
import { type Pipeline, startPipeline } from '../pipeline.ts';

let pipeline: Pipeline;

beforeAll(async () => {
  pipeline = await startPipeline();
});
afterAll(() => pipeline.stop());

describe('GET cost', () => {
  it('adds up the batches of the day and the month, finished ones from their lines', async () => {
    const { clients, settings } = pipeline;
    const done = await pipeline.submit([{ id: 'a' }, { id: 'b' }]);
    await pipeline.finish(done.id);
    const ask = async (query = '') => {
      const deps = {
        table: clients.batches,
        meter: clients.meter,
        overhead: createOverhead(),
        sinceMs: 0,
        basis: BASIS,
        settings,
        registry: pipeline.registry,
      };
      return costSchema.parse((await call((request) => getCost(deps, request), `cost${query}`)).json());
    };
    const before = await ask();
    expect(before.day.batches).toBe(before.month.batches);
    const more = await pipeline.submit([{ id: 'c' }]);
    await changeBatch(clients.batches, more.id, () => ({ operations: { 'blob.put': 10_000 } }));
    const after = await ask(`?day=${batchDate(more.id)}`);
    expect(after.day.batches - before.day.batches).toBe(1);
    expect(after.day.items - before.day.items).toBe(1);
    expect((after.day.work.operations['blob.put'] ?? 0) - (before.day.work.operations['blob.put'] ?? 0)).toBe(10_000);
    expect(after.month.idle.usd).toBeGreaterThanOrEqual(after.day.idle.usd);
    expect(after.day.totalUsd).toBeCloseTo(after.day.work.usd + after.day.wakeUps.usd + after.day.idle.usd, 5);
    const past = await ask('?day=2020-02-03');
    expect(past.month).toMatchObject({ from: '2020-02-01', to: '2020-02-29', batches: 0, usdPerMillionItems: null });
  });
});
