import { describe, expect, it } from 'vitest';
import { describeReport, describeRun } from '../../../local/batch/summary.ts';

describe('the output of the demo', () => {
  it('includes, for a run, the batch and the memory of the host', () => {
    const counts = {
      accepted: 1,
      succeeded: 1,
      dead: 0,
      discarded: 0,
      cancelled: 0,
      pending: 0,
      retried: 0,
      duplicatesSeen: 0,
    };
    const times = { deadline: { at: '', met: true }, revision: 0, revisions: [] };
    const batch = { id: 'b', state: 'completed', counts, latencyMs: null, ratePerSecond: null, ...times } as const;
    expect(describeRun(batch, 250_000_000)).toEqual([
      'State: completed',
      'Items: 1 accepted, 1 succeeded, 0 dead letters, 0 retried',
      'Peak memory of the host, including worker threads: 250.0 MB',
    ]);
  });

  it('includes, for a report, its first rows', () => {
    const rows = Array.from({ length: 9 }, (_, n) => ({ key: `k${n}`, value: n }));
    expect(describeReport(rows).slice(0, 2)).toEqual(['Report: 9 rows, the first 8', '  key  value']);
    expect(describeReport(rows)).toHaveLength(10);
    expect(describeReport(rows.slice(0, 3))[0]).toBe('Report: 3 rows');
  });
});
