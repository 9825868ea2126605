import { expect, test } from 'vitest';
import { Reject, Retry } from '../../../../shared/workload/errors.ts';
import { NOW_MS, retriesJob } from '../../../helpers/data/chunks.ts';
import { ids, type MapItem, run, workloadOf } from '../../../helpers/threads/run-chunk.ts';

const map: MapItem = ({ id }) => {
  if (id === 2) throw new Reject('closed');
  if (id === 3) throw new Retry('busy');
  return id;
};

test('results and dead letters have ended; dead letters and failed attempts are failing', async () => {
  // The last item does not fit the schema.
  const { progress } = await run(workloadOf(map), ids(1, 2, 3, 4, 'x'));

  expect(progress).toEqual({ items: 5, ended: 4, inFlight: 0, failing: 3 });
});

test('an item that is passed on unrun has not ended', async () => {
  const later = new Date(NOW_MS + 60_000).toISOString();
  const lines = [
    { index: 1, attempts: [], item: { id: 1 } },
    { index: 4, attempts: [], item: { id: 4 }, notBefore: later },
  ];
  const { progress, retries } = await run(workloadOf(map), retriesJob(lines, NOW_MS));

  expect(retries).toHaveLength(1);
  expect(progress).toEqual({ items: 2, ended: 1, inFlight: 0, failing: 0 });
});

test('a copy has the latest failure of the run so far, on one line of at most 300 characters', async () => {
  const long: MapItem = (one, context) => {
    if (one.id === 5) throw new Error(`no\nroom ${'x'.repeat(400)}`);
    return map(one, context);
  };
  const lines = [1, 2, 4, 3, 5].map((id) => ({ index: id, attempts: [], item: { id }, rerun: 'careful' as const }));
  const { errors } = await run(workloadOf(long), retriesJob(lines, NOW_MS));

  const cut = `Error: no room ${'x'.repeat(285)}`;
  expect(errors).toEqual([undefined, 'Reject: closed', 'Reject: closed', 'Retry: busy', cut]);
});

test('an item whose call was throttled has neither ended nor failed', async () => {
  const throttled: MapItem = ({ id }) => {
    if (id === 2) throw new Retry('too many requests', { after: 5 });
    return id;
  };
  const rateLimit = { items: 1_000, perSeconds: 1 };
  const { progress } = await run(workloadOf(throttled, { rateLimit }), ids(1, 2, 3));

  expect(progress).toEqual({ items: 3, ended: 2, inFlight: 0, failing: 0 });
});
