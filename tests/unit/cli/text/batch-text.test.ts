import { describe, expect, it } from 'vitest';
import { describeBatch, describeProgress, type ShownBatch } from '../../../../cli/text/batch-text.ts';

const batch = {
  id: 'b',
  state: 'running',
  counts: {
    accepted: 1_000,
    succeeded: 700,
    dead: 50,
    discarded: 0,
    cancelled: 0,
    pending: 250,
    retried: 0,
    duplicatesSeen: 0,
  },
  ratePerSecond: 1234.4,
  latencyMs: { p50: 120, p95: 1_500, max: 20_000 },
  ...{ deadline: { at: '2026-01-01T00:05:00.000Z', met: null }, revision: 0, revisions: [] },
  receipt: {
    ...{ soFar: true, operations: { 'queue.put': 4, 'blob.put': 9, 'servicebus.send': 1 }, storageOperations: 20 },
    ...{ drainOperations: { 'queue.put': 1.5, 'table.get': 0.5 }, hostOperations: { 'queue.get': 5 } },
    executions: { count: 7.5, gbSeconds: 15 },
    comparison: {
      messagePerItem: { operations: 2_032, usd: 0.001, timesOurs: 101.6 },
      pollingThreadPerDay: { operations: 86_400, usd: 0.03 },
    },
  },
} as const;

describe('the text', () => {
  it('of progress contains finished items, rate, and totals of the queues if known', () => {
    const bar = 'Process [##################......] 750 of 1,000 items';
    const queues = [
      { depth: 3, active: 2 },
      { depth: 4, active: 1 },
    ];
    expect(describeProgress(batch)).toBe(`${bar}, 1,234 items/s`);
    expect(describeProgress({ ...batch, ratePerSecond: 0.033 })).toBe(`${bar}, 0.033 items/s`);
    expect(describeProgress(batch, queues)).toBe(`${bar}, queue depth 7, 3 dequeue tasks active, 1,234 items/s`);
  });

  it('of a batch that a message requested contains its producer', () => {
    expect(describeBatch({ ...batch, producer: 'erp-1' }).slice(0, 2)).toEqual(['State: running', 'Producer: erp-1']);
    expect(describeBatch(batch).join()).not.toContain('Producer');
  });

  it('of running chunks counts their finished items, and contains the expected completion', () => {
    const progress = { chunks: 2, items: 200, ended: 50, inFlight: 16, failing: 3, at: '2026-01-01T00:00:50.000Z' };
    const estimate = { completesAt: '2026-01-01T00:01:10.500Z', basis: '800 of 1,000 items have ended in the 50 s' };
    const running = { ...batch, estimate, progress: { ...progress, latestError: 'Error: busy' } };

    expect(describeProgress(running)).toBe(
      'Process [###################.....] 800 of 1,000 items, 16 in flight, 3 failing, 1,234 items/s, expected to finish about 2026-01-01 00:01:10 UTC',
    );
    expect(describeProgress({ ...running, progress: { ...progress, failing: 0 } })).not.toContain('failing');
    expect(describeBatch(running).slice(2, 5)).toEqual([
      'Running: 2 chunks with 200 items: 50 finished, 16 in flight, 3 failing',
      'Latest failure: Error: busy',
      'Expected to finish about 2026-01-01 00:01:10 UTC: 800 of 1,000 items have ended in the 50 s',
    ]);
  });

  it('of a batch contains counts, latency and operations', () => {
    expect(describeBatch(batch)).toEqual([
      'State: running',
      'Items: 1,000 accepted, 700 succeeded, 50 dead letters, 250 pending, 0 retried',
      'Latency from acceptance to completion: p50 0.12 s, p95 1.50 s, max 20.0 s',
      'Operations so far: 20 on storage (one message per item would need 2,032 for the queue alone)',
      '  13 of the batch, 2 of its drains (estimated), 5 of the Durable extension (estimated)',
      '  blob.put 9, queue.put 6, servicebus.send 1, table.get 1',
      'Executions so far: 8, at most 15 GB-seconds (estimated)',
    ]);
    const ended = { ...batch, receipt: { ...batch.receipt, soFar: false } };
    expect(describeBatch(ended).join()).not.toContain('so far');
  });

  it('of many operations has lines of at most 120 characters', () => {
    const operations = Object.fromEntries(Array.from({ length: 15 }, (_, n) => [`table.operation${n}`, 1_000 + n]));
    const lines = describeBatch({ ...batch, receipt: { ...batch.receipt, operations } });

    const counted = lines.filter((line) => /^ {2}.*[a-z]+\.[a-z]+/.test(line));
    expect(counted.length).toBeGreaterThan(1);
    expect(Math.max(...counted.map(({ length }) => length))).toBeLessThanOrEqual(120);
    expect(
      counted
        .map((line) => line.trim())
        .join(' ')
        .split(', ').length,
    ).toBe(15 + 2);
  });

  it('of a batch contains what the server says about it, as sentences', () => {
    const notes: ShownBatch['notes'] = [
      { tone: 'warn', text: 'blocked by queue billing-normal-0: paused by an operator', queue: 'billing-normal-0' },
      { tone: 'info', text: 'first in queue billing-normal-0', queue: 'billing-normal-0' },
    ];

    expect(describeBatch({ ...batch, notes }).slice(2, 4)).toEqual([
      'Blocked by queue billing-normal-0: paused by an operator',
      'First in queue billing-normal-0',
    ]);
  });

  it('of a redriven batch contains the deadline of the upload and the duration of the redrive', () => {
    const at = (time: string): string => `2026-01-01T${time}.000Z`;
    const redrive = {
      ...({ revision: 1, kind: 'redrive', items: 9, opened: at('02:00:00'), queued: null, started: null } as const),
      ...{ completed: at('02:00:03'), deadline: at('02:05:00'), latencyMs: null },
    };
    const redriven = { ...batch, deadline: { ...batch.deadline, met: false }, revision: 1, revisions: [redrive] };

    const lines = describeBatch(redriven);

    expect(lines).toContain('Deadline missed: 2026-01-01 00:05:00 UTC');
    expect(lines).toContain('Revision 1: 9 items redriven, done in 3.00 s');
  });

  it('of discarded dead letters contains their total, and duration and reason of the latest discard', () => {
    const time = '2026-01-01T02:00:00.000Z';
    const discard = {
      ...({ revision: 2, kind: 'discard', reason: 'test orders', items: 1, queued: null, started: null } as const),
      ...{ opened: time, completed: time, deadline: time, latencyMs: null },
    };
    const counts = { ...batch.counts, dead: 46, discarded: 4 };

    const lines = describeBatch({ ...batch, counts, revision: 2, revisions: [discard] });

    expect(lines).toContain(
      'Items: 1,000 accepted, 700 succeeded, 46 dead letters, 4 discarded, 250 pending, 0 retried',
    );
    expect(lines.join()).toContain('Revision 2: 1 dead letter discarded (test orders), done in ');
  });
});
