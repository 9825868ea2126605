import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeBatch } from '../../../../shared/batches/ledger.ts';
import { readOpen } from '../../../../shared/batches/listing/open-rows.ts';
import { redrive } from '../../../../shared/commands/redrive/redrive.ts';
import { CONTAINERS } from '../../../../shared/contract/names.ts';
import { Problem } from '../../../../shared/errors.ts';
import { countMissedWake } from '../../../../shared/gate/gate-notes.ts';
import { changeGate } from '../../../../shared/gate/gate-store.ts';
import { createOverview } from '../../../../shared/http/overview/get-overview.ts';
import { overviewSchema } from '../../../../shared/http/overview/schemas.ts';
import { writeReason } from '../../../../shared/intake/inbox/rejection-reason.ts';
import { measure } from '../../../helpers/measure.ts';
import { call } from '../call.ts';
import { type Pipeline, startPipeline } from '../pipeline.ts';

const ITEMS = 'echo-normal-0';
const MINUTE = 60_000;
let pipeline: Pipeline;
let overview: ReturnType<typeof createOverview>;

beforeAll(async () => {
  pipeline = await startPipeline();
  overview = createOverview(() => ({ ...pipeline.deps, pool: undefined }));
});
afterAll(() => pipeline.stop());

const look = async (query = '') => overviewSchema.parse((await call(overview, `overview${query}`)).json());
const ago = (ms: number): string => new Date(pipeline.deps.gate.now() - ms).toISOString();
const table = () => pipeline.clients.batches;
const gates = () => pipeline.deps.gate.table;

/** The lists of the overview when all is well. */
const NOTHING = { count: 0, batches: [] };
const WELL = {
  ...{ late: NOTHING, atRisk: NOTHING, pausedQueues: [], pausedBatches: NOTHING, failedReports: NOTHING },
  ...{ suspect: NOTHING, missedWakes: [], poison: [], stuck: [], inboxRejects: { count: 0, files: [] } },
};

describe('GET overview', () => {
  it('has only empty lists when all is well, and needs two queries while the rest is cached', async () => {
    expect(await look()).toMatchObject({ ...WELL, deadLetters: { count: 0, causes: [], isWhole: true } });
    const { value, operations } = await measure(pipeline.clients.meter, () => look());
    // The storage service begins some queries with an empty page, which counts as one more.
    expect([{ 'table.query': 2 }, { 'table.query': 3 }]).toContainEqual(operations);
    const { queues } = value;
    expect(queues).toMatchObject({ count: 5, draining: 0, paused: 0, messages: 0, batches: 0, items: 0, read: 0 });
    expect(Date.parse(queues.measuredAt ?? '')).toBeGreaterThan(Date.parse(ago(MINUTE)));
  });

  it('shows a paused queue, also while it is empty', async () => {
    const paused = {
      by: 'circuit',
      reason: '9 of 10 items failed',
      since: ago(MINUTE),
      probeAt: ago(-MINUTE),
    } as const;
    await changeGate(gates(), 'other-normal-0', () => ({ paused }));
    const text = expect.stringMatching(
      /^paused by the circuit since .*: 9 of 10 items failed; one task tries again at /,
    );
    const shown = { queue: 'other-normal-0', workload: 'other', ...paused, text };
    expect(await look('?fresh')).toMatchObject({
      pausedQueues: [{ ...shown, messages: 0, batches: 0, items: 0 }],
      queues: { paused: 1 },
    });
    await pipeline.submit([{ id: 'a' }, { id: 'b' }], { workload: 'other' });
    const { queues, pausedQueues } = await look('?fresh');
    expect(pausedQueues).toEqual([{ ...shown, messages: 1, batches: 1, items: 2 }]);
    expect(queues).toMatchObject({ messages: 1, batches: 1, items: 2, read: 1 });
    await changeGate(gates(), 'other-normal-0', () => ({ paused: undefined }));
  });

  it('lists open batches that are late, at risk or paused', async () => {
    const [late, atRisk, paused] = await Promise.all([1, 2, 3].map(() => pipeline.submit([{ id: 'x' }])));
    const deadlineAt = ago(5 * MINUTE);
    const atRiskAt = ago(MINUTE);
    const pause = { by: 'halt', reason: '9 of 10 items that ended are dead letters', at: ago(MINUTE) } as const;
    await changeBatch(table(), late?.id ?? '', () => ({ deadlineAt, atRiskAt, fileName: 'usage.csv' }));
    await changeBatch(table(), atRisk?.id ?? '', () => ({ atRiskAt }));
    await changeBatch(table(), paused?.id ?? '', () => ({ state: 'paused', paused: pause }));
    const common = { workload: 'echo', lane: 'normal', items: 1 };
    expect(await look()).toMatchObject({
      late: { count: 1, batches: [{ id: late?.id, ...common, file: 'usage.csv', since: deadlineAt }] },
      atRisk: { count: 1, batches: [{ id: atRisk?.id, ...common, since: atRiskAt }] },
      pausedBatches: {
        count: 1,
        batches: [{ id: paused?.id, ...common, since: pause.at, by: 'halt', reason: pause.reason }],
      },
    });
    await changeBatch(table(), paused?.id ?? '', () => ({ state: 'cancelling', paused: undefined, deadlineAt }));
    expect(await look('?fresh')).toMatchObject({ late: { count: 1 }, pausedBatches: NOTHING });
  });

  it('counts the dead letters of a day, of running batches by their rows, and updates when they end', async () => {
    const before = (await look('?fresh')).deadLetters.count;
    const { id } = await pipeline.submit([...'abcdef'].map((letter) => ({ id: letter, reject: 'no' })));
    await pipeline.work(id, 1);
    expect((await look()).deadLetters.count).toBe(before + 3);
    await pipeline.finish(id);
    // The lines of the day are cached for 10 s, but not beyond the end of a batch.
    expect((await look()).deadLetters.count).toBe(before + 6);
  });

  it('shows the items and the deadline of a redrive from its open row alone', async () => {
    const { id, lane } = await pipeline.submit([{ id: 'a' }, { id: 'b', reject: 'no' }]);
    await pipeline.finish(id);
    await redrive(pipeline.deps, { batch: id, key: 'k', selection: {} });
    const { batches } = await readOpen(table());
    const opening = { revision: 1, lane, items: 1, chunks: 1 };
    expect(batches.find((batch) => batch.id === id)).toMatchObject({
      ...opening,
      deadlineAt: expect.stringMatching(/Z$/),
    });
    await pipeline.finish(id);
  });

  it('lists suspect batches and failed reports with the reason, whether they are closed or not', async () => {
    const suspect = await pipeline.submit([{ id: 1 }]);
    await pipeline.finish(suspect.id);
    const failed = await pipeline.submit([{ id: 'a' }]);
    await changeBatch(table(), failed.id, () => ({ state: 'reportFailed', reportProblem: 'Too many keys.' }));
    const shown = await look('?fresh');
    expect(shown.suspect.batches).toMatchObject([
      { id: suspect.id, items: 1, reason: expect.stringContaining('invalid') },
    ]);
    expect(shown.failedReports.batches).toMatchObject([{ id: failed.id, reason: 'Too many keys.' }]);
    await changeBatch(table(), failed.id, () => ({ state: 'completed' }));
  });

  it('lists missed wakes of a day, poison messages and drains without progress', async () => {
    await countMissedWake(pipeline.deps.gate, ITEMS);
    await countMissedWake({ ...pipeline.deps.gate, now: () => Date.parse(ago(25 * 60 * MINUTE)) }, 'echo-bulk-0');
    const poison = pipeline.clients.queue('echo-poison');
    await poison.create();
    await poison.sendMessage('{}');
    const silent = {
      status: 'draining',
      generation: 4,
      acquiredAt: ago(60 * MINUTE),
      aliveUntil: ago(30 * MINUTE),
    } as const;
    await changeGate(gates(), 'echo-bulk-0', () => silent);
    const startFailure = { since: ago(MINUTE), error: 'The runtime does not answer.' };
    await changeGate(gates(), 'other-normal-0', () => ({ startFailure }));
    const shown = await look('?fresh');
    expect(shown.missedWakes).toMatchObject([{ queue: ITEMS, count: 1 }]);
    expect(shown.poison).toEqual([{ queue: 'echo-poison', messages: 1 }]);
    expect(shown.stuck).toEqual([
      { queue: 'echo-bulk-0', since: silent.aliveUntil, reason: 'Drain 4 sends no heartbeat.' },
      { queue: 'other-normal-0', since: startFailure.since, reason: expect.stringContaining(startFailure.error) },
    ]);
  });

  it('counts the rejected files of the inbox, and lists the latest', async () => {
    const name = 'echo/a.csv';
    const rejected = pipeline.clients.container(CONTAINERS.inboxRejected);
    await rejected.getBlockBlobClient(name).upload('a', 1, { metadata: { sourceetag: 'e' } });
    await writeReason(pipeline.deps, name, new Problem('malformed-record', 'Line 1: Odd.'));
    const { inboxRejects } = await look('?fresh');
    expect(inboxRejects).toMatchObject({ count: 1, files: [{ name, title: expect.stringMatching(/./) }] });
  });
});
