import { describe, expect, it } from 'vitest';
import type { BatchRow } from '../../../shared/batches/batch-row.ts';
import { listedTimes } from '../../../shared/batches/listing/listed-times.ts';
import { firstRevision, isDeadlineMet, MAX_EARLIER, nextRevision } from '../../../shared/batches/revisions.ts';
import { batchRowOf } from '../../helpers/data/factories.ts';

const finished = batchRowOf({
  completedAt: '2026-01-01T00:04:00.000Z',
  queuedAt: '2026-01-01T00:00:01.000Z',
  startedAt: '2026-01-01T00:00:02.000Z',
  ...{ latencyP50: 1, latencyP95: 2, latencyMax: 3 },
});
const redriveAt = { items: 1, openedAt: '2026-01-01T02:00:00.000Z', deadlineAt: '2026-01-01T02:05:00.000Z' };
const redriven = (row: BatchRow): BatchRow => ({ ...row, ...nextRevision(row, redriveAt) });

describe('the next revision', () => {
  it('has separate times, and the row keeps those of the previous one', () => {
    const row = redriven(finished);

    expect(row).toMatchObject({
      revision: 1,
      revisionItems: 1,
      openedAt: redriveAt.openedAt,
      acceptedAt: finished.acceptedAt,
    });
    expect([row.queuedAt, row.startedAt, row.completedAt, row.latencyMax]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(row.earlier).toEqual([
      {
        ...{ revision: 0, items: 4, openedAt: finished.acceptedAt, deadlineAt: finished.deadlineAt },
        ...{ queuedAt: finished.queuedAt, startedAt: finished.startedAt, completedAt: finished.completedAt },
        ...{ latencyP50: 1, latencyP95: 2, latencyMax: 3 },
      },
    ]);
  });

  it('starts without the pauses of the previous one', () => {
    expect(redriven({ ...finished, pausedMs: 7 }).pausedMs).toBeUndefined();
  });

  it('starts without the verdict on the items of the previous one', () => {
    expect(redriven({ ...finished, state: 'suspect', suspect: { causes: [] } }).suspect).toBeUndefined();
  });

  it('starts without references in the queues', () => {
    expect(redriven({ ...finished, enqueuedTo: 3_000 }).enqueuedTo).toBeUndefined();
  });

  it('keeps the first revision and the latest ones, so that many redrives do not enlarge the row', () => {
    let row = finished;
    for (let n = 0; n < 100; n += 1) row = redriven({ ...row, completedAt: '2026-01-01T02:01:00.000Z' });

    expect(row.earlier.map(({ revision }) => revision)).toEqual([0, ...Array.from({ length: 19 }, (_, n) => 81 + n)]);
    expect(row.earlier).toHaveLength(MAX_EARLIER);
    expect(JSON.stringify(row.earlier).length).toBeLessThan(8_000);
  });

  it('starts without the reason of an earlier discard, which keeps it in bounded space', () => {
    let row = redriven(finished);
    for (let n = 0; n < 30; n += 1) row = redriven({ ...row, discardReason: '"'.repeat(200) });

    expect([row.discardReason, row.earlier.at(-1)?.discardReason?.length]).toEqual([undefined, 200]);
    expect(JSON.stringify(row.earlier).length).toBeLessThan(20_000);
  });
});

describe('the deadline', () => {
  const AT = Date.parse(finished.deadlineAt);

  it.each([
    ['met by a completion before it', { completedAt: '2026-01-01T00:05:00.000Z' }, AT + 1, true],
    ['missed by a completion after it', { completedAt: '2026-01-01T00:05:00.001Z' }, AT + 1, false],
    ['open until it has passed', {}, AT, null],
    ['missed once it has passed', {}, AT + 1, false],
  ] as const)('is %s', (_what, ended, nowMs, expected) => {
    expect(isDeadlineMet({ deadlineAt: finished.deadlineAt, ...ended }, nowMs)).toBe(expected);
  });

  it.each([
    ['met', '2026-01-01T00:04:00.000Z', true],
    ['missed', '2026-01-01T00:06:00.000Z', false],
  ])('is still %s after a redrive that ends late or early', (_what, completedAt, expected) => {
    const row = { ...redriven({ ...finished, completedAt }), completedAt: '2026-01-01T03:00:00.000Z' };

    expect(isDeadlineMet(firstRevision(row), Date.parse(row.completedAt))).toBe(expected);
    expect(listedTimes(row)).toMatchObject({ deadlineMet: expected, deadlineAt: redriveAt.deadlineAt, revision: 1 });
  });
});
