import { expect, test } from 'vitest';
import { nextRevision } from '../../../../shared/batches/revisions.ts';
import { readPriceSheet } from '../../../../shared/cost/sheet.ts';
import { batchView } from '../../../../shared/http/batches/batch-view.ts';
import { batchViewSchema } from '../../../../shared/http/batches/schemas.ts';
import { batchRowOf } from '../../../helpers/factories.ts';

const sheet = readPriceSheet('2026');
const at = (time: string): string => `2026-01-01T${time}.000Z`;
const view = (row: Parameters<typeof batchView>[0], now: string) => batchView(row, Date.parse(at(now)), sheet);

const uploaded = batchRowOf({
  ...{ state: 'completedWithDeadLetters', accepted: 1_000, succeeded: 900, dead: 100 },
  ...{ queuedAt: at('00:00:00'), startedAt: at('00:00:01'), completedAt: at('00:00:10') },
  ...{ latencyP50: 4_000, latencyP95: 9_000, latencyMax: 10_000 },
});
const opening = { items: 100, openedAt: at('02:00:00'), deadlineAt: at('02:05:00') };
const redriven = batchRowOf({
  ...{ ...uploaded, ...nextRevision(uploaded, opening) },
  ...{ state: 'running', succeeded: 940, dead: 10, queuedAt: at('02:00:00') },
});

test('the rate and the estimate of a redrive are of its own items and its own time', () => {
  expect(view(uploaded, '01:00:00')).toMatchObject({ ratePerSecond: 100, etaAt: null });

  // 50 of its 100 items in five seconds.
  expect(view(redriven, '02:00:05')).toMatchObject({ ratePerSecond: 10, etaAt: at('02:00:10') });
});

test('a suspect batch shows its causes, as the schema has them; no other batch has any', () => {
  const causes = [{ cause: 'invalid: InvalidItem: id', count: 100, example: { position: 7, message: 'id: Required' } }];
  const suspect = view({ ...uploaded, state: 'suspect', suspect: { causes } }, '01:00:00');

  expect(batchViewSchema.parse(suspect).suspect).toEqual({ causes });
  expect(view(uploaded, '01:00:00')).not.toHaveProperty('suspect');
});

test('a redriven batch shows the times of the redrive, and the verdict and latency of the upload', () => {
  const { times, deadline, latencyMs, revision, revisions } = view(redriven, '02:00:05');

  expect(times).toEqual({
    ...{ accepted: at('00:00:00'), opened: at('02:00:00'), queued: at('02:00:00') },
    ...{ started: null, completed: null, deadline: at('02:05:00') },
  });
  expect(deadline).toEqual({ at: at('00:05:00'), met: true });
  expect(latencyMs).toEqual({ p50: 4_000, p95: 9_000, max: 10_000 });
  expect(revision).toBe(1);
  expect(revisions.map(({ revision: n, items, latencyMs: latency }) => [n, items, latency?.max])).toEqual([
    [0, 1_000, 10_000],
    [1, 100, undefined],
  ]);
});
