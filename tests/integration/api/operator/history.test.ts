import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordAction } from '../../../../shared/commands/audit-log.ts';
import { batchDate } from '../../../../shared/contract/names.ts';
import { totalOperations } from '../../../../shared/contract/operations.ts';
import { getHistory } from '../../../../shared/http/history/get-history.ts';
import { historySchema } from '../../../../shared/http/history/schemas.ts';
import { BASIS } from '../../../helpers/fakes/receipt-basis.ts';
import { measure } from '../../../helpers/measure.ts';
import { call } from '../call.ts';
import { type Pipeline, startPipeline } from '../pipeline.ts';

const QUEUE = 'echo-normal-0';
let pipeline: Pipeline;

beforeAll(async () => {
  pipeline = await startPipeline();
});
afterAll(() => pipeline.stop());

describe('GET history', () => {
  const ask = async (query = '') => {
    const { clients, deps } = pipeline;
    const http = { table: clients.batches, now: deps.gate.now, basis: BASIS };
    const answer = await call((request) => getHistory(http, request), `history${query}`);
    return { status: answer.status, history: answer.status === 200 ? historySchema.parse(answer.json()) : undefined };
  };

  it('adds up finished batches by day and workload, from their lines alone, and lists the actions of operators', async () => {
    const open = await pipeline.submit([{ id: 'open' }], { workload: 'other' });
    const done = await pipeline.submit([{ id: 'a' }], { workload: 'other' });
    const { latencyP95, completedAt = '', openedAt } = await pipeline.finish(done.id);
    const day = batchDate(done.id);
    const actions = [
      ['put-policy', 200],
      ['run-sweep', 200],
      ['pause-queue', 409],
      ['pause-queue', 200],
    ] as const;
    for (const [n, [action, status]] of actions.entries()) {
      const at = new Date(Date.parse(`${day}T00:00:00Z`) + n).toISOString();
      const entry = { at, action, target: QUEUE, by: 'ada', verified: false, detail: '', status };
      await recordAction(pipeline.clients.batches, entry, String(n));
    }
    const { meter } = pipeline.clients;
    const { value, operations } = await measure(meter, () => ask(`?day=${day}&workload=other`));
    // Two queries: batches and actions. The storage service begins some with an empty page.
    expect(totalOperations(operations)).toBeGreaterThanOrEqual(2);
    expect(totalOperations(operations)).toBeLessThanOrEqual(4);
    const { history } = value;
    const tookMs = Date.parse(completedAt) - Date.parse(openedAt);
    expect(history).toMatchObject({
      ...{ from: day, to: day, scanned: 1, sheet: '2026', currency: 'USD' },
      days: [{ day, workload: 'other', batches: 1, items: 1, dead: 0, deadlinesMissed: 0, latencyP95Ms: latencyP95 }],
      markers: [{ action: 'pause-queue', by: 'ada', target: QUEUE }, { action: 'put-policy' }],
    });
    const [shown] = history?.days ?? [];
    expect(shown?.itemsPerSecond).toBeCloseTo(1000 / tookMs, 2);
    expect(shown?.deadlineMs).toBe(Date.parse(done.deadlineAt) - Date.parse(done.openedAt));
    expect(shown?.usd).toBeGreaterThan(0);
    await pipeline.finish(open.id);
  });

  it.each(['?from=2026-01-01&to=2026-04-03', '?day=2026-02-30'])('refuses %s', async (query) =>
    expect((await ask(query)).status).toBe(400),
  );
});
