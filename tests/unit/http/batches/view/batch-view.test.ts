import { expect, test } from 'vitest';
import type { BatchProgress } from '../../../../../shared/batches/progress/progress-rows.ts';
import { batchViewSchema } from '../../../../../shared/http/batches/schemas.ts';
import { batchRowOf } from '../../../../helpers/data/factories.ts';
import { at, redriven, uploaded, view } from './view-fixtures.ts';

test('a suspect batch shows its causes in the format of the schema; other batches have none', () => {
  const causes = [{ cause: 'invalid: InvalidItem: id', count: 100, example: { position: 7, message: 'id: Required' } }];
  const suspect = view({ ...uploaded, state: 'suspect', suspect: { causes } }, '01:00:00');

  expect(batchViewSchema.parse(suspect).suspect).toEqual({
    causes,
    verdict: expect.any(String) as string,
    hint: expect.any(String) as string,
    command: 'sluice try FILE --workload billing',
  });
  expect(view(uploaded, '01:00:00')).not.toHaveProperty('suspect');
});

test('a CSV upload shows how it was interpreted, with a hint about text cells if there are dead letters', () => {
  const csv = { delimiter: ';', columns: 3, cells: 'text' } as const;
  const row = {
    ...uploaded,
    fileName: 'usage.csv',
    format: 'csv',
    csv,
    labels: { month: '2026-09' },
    producer: 'erp',
  } as const;

  const shown = batchViewSchema.parse(view({ ...row, dead: 1 }, '01:00:00'));

  expect(shown).toMatchObject({
    source: { file: 'usage.csv', format: 'csv', csv },
    labels: { month: '2026-09' },
    producer: 'erp',
  });
  expect(shown.hint).toContain('are text');
  expect(view({ ...row, dead: 0 }, '01:00:00')).not.toHaveProperty('hint');
});

test('a deadline at risk is shown as that of the current revision', () => {
  const atRisk = { ...redriven, atRiskAt: at('02:04:00') };

  expect(batchViewSchema.parse(view(atRisk, '02:04:30')).deadline).toMatchObject({ atRiskAt: at('02:04:00') });
  expect(view(redriven, '02:04:30').deadline).not.toHaveProperty('atRiskAt');
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

const running = batchRowOf({
  ...{ state: 'running', accepted: 10_000, succeeded: 1_000 },
  ...{ queuedAt: at('00:00:00'), startedAt: at('00:01:00') },
});
const progress: BatchProgress = {
  ...{ chunks: 2, items: 2_000, ended: 500, inFlight: 32, failing: 7, error: 'Error: busy' },
  at: at('00:01:40'),
};

test('finished items of running chunks are shown and included in rate and estimate, but not in the counts', () => {
  const shown = view(running, '00:01:45', { progress });

  expect(shown.counts).toMatchObject({ succeeded: 1_000, pending: 9_000 });
  expect(shown.progress).toEqual({
    ...{ chunks: 2, items: 2_000, ended: 500, inFlight: 32, failing: 7, latestError: 'Error: busy' },
    at: at('00:01:40'),
  });
  // 1,500 in 100 s, so 8,500 in 567 s more.
  expect(shown.ratePerSecond).toBe(15);
  expect(shown.estimate).toEqual({
    completesAt: '2026-01-01T00:11:06.666Z',
    basis:
      '1,500 of 10,000 items have ended, 500 of them in running chunks, in the first 100 s after the batch was queued',
  });
});

test('a batch has links to its logs, and to its trace if it has one, if the addresses are configured', () => {
  const telemetryLinks = { logs: 'https://logs.example/?q={batch}', trace: 'https://traces.example/{trace}' };
  const traced = batchRowOf({ traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` });
  const { id } = traced;
  expect(view(traced, '01:00:00', { telemetryLinks }).links).toMatchObject({
    logs: `https://logs.example/?q=${id}`,
    trace: `https://traces.example/${'a'.repeat(32)}`,
  });
  expect(view(batchRowOf({}), '01:00:00', { telemetryLinks }).links).not.toHaveProperty('trace');
  expect(view(traced, '01:00:00').links).not.toHaveProperty('logs');
});
