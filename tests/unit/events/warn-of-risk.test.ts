import { expect, test } from 'vitest';
import { changeBatch, insertBatch } from '../../../shared/batches/ledger.ts';
import { readBatchAndProgress } from '../../../shared/batches/progress/progress-rows.ts';
import { warnOfRisk } from '../../../shared/events/warn-of-risk.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { BATCH, batchRowOf } from '../../helpers/data/factories.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';
import { address } from '../drain/drain-fixtures.ts';

const NOW = '2026-01-01T00:04:30.000Z';

/** A batch of which nothing has ended, half a minute before its deadline. */
async function world(fields: Parameters<typeof batchRowOf>[0] = {}) {
  const store = memoryTable();
  const published: unknown[] = [];
  const calls: string[] = [];
  let isAway = false;
  await insertBatch(store.table, batchRowOf(fields), []);
  const read = () => readBatchAndProgress(store.table, BATCH);
  const deps: Parameters<typeof warnOfRisk>[0] = {
    table: store.table,
    gate: { now: () => Date.parse(NOW) },
    addressOf: () => address,
    publish: async (_address, { type, batch, labels, items, details }, { messageId } = {}) => {
      if (isAway) throw new Error('away');
      published.push({ type, batch, labels, items, details, messageId });
    },
  };
  return {
    ...{ store, published, calls, read },
    away: (is: boolean) => {
      isAway = is;
    },
    warn: async (found = read()) => {
      const batch = await found;
      store.before(async (name) => void calls.push(name));
      if (batch) await withLog(SILENT_LOG, () => warnOfRisk(deps, batch));
      store.before(async () => {});
    },
  };
}

const atRiskAt = async ({ read }: Awaited<ReturnType<typeof world>>) => (await read())?.row.atRiskAt;

test('a batch at risk is published with its labels once per revision, and its row records the time', async () => {
  const here = await world({ labels: { team: 'a' }, revision: 2, revisionItems: 4 });

  for (const _ of [1, 2]) await here.warn();

  const details = { deadlineAt: '2026-01-01T00:05:00.000Z', expectedAt: null, ended: 0, items: 4, revision: 2 };
  expect(here.published).toEqual([
    {
      ...{ type: 'DeadlineAtRisk', batch: BATCH, labels: { team: 'a' }, items: 4, messageId: `at-risk-${BATCH}-2` },
      details,
    },
  ]);
  expect(await atRiskAt(here)).toBe(NOW);
});

test('a batch in time costs nothing', async () => {
  const here = await world({ deadlineAt: '2026-01-01T01:00:00.000Z' });

  await here.warn();

  expect([here.published, here.calls]).toEqual([[], []]);
});

test('an event that could not be published is published at the next check', async () => {
  const here = await world();
  here.away(true);
  await here.warn();
  expect(await atRiskAt(here)).toBeUndefined();
  here.away(false);

  await here.warn();

  expect(here.published).toHaveLength(1);
});

test.each([
  ['finished', { state: 'completed' as const }],
  ['redriven', { revision: 1 }],
])('the row of a batch that was %s in the meantime is not changed', async (_what, change) => {
  const here = await world();
  const found = await here.read();
  await changeBatch(here.store.table, BATCH, () => change);

  await here.warn(Promise.resolve(found));

  expect(await atRiskAt(here)).toBeUndefined();
});

test('two checks at the same time publish the same message id, and the row keeps the first time', async () => {
  const here = await world();
  const found = await here.read();

  await here.warn(Promise.resolve(found));
  await here.warn(Promise.resolve(found));

  expect(here.published).toMatchObject([{ messageId: `at-risk-${BATCH}-0` }, { messageId: `at-risk-${BATCH}-0` }]);
});
