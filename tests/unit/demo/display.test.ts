import { describe, expect, it } from 'vitest';
import type { Batch } from '../../../demo/api.ts';
import { formatBar, formatTable } from '../../../demo/format.ts';
import { createStatusLine } from '../../../demo/status-line.ts';
import { describeBatch, describeReport } from '../../../demo/summary.ts';
import { describeFile } from '../../../demo/upload.ts';
import { describeProgress } from '../../../demo/watch.ts';

const batch: Batch = {
  id: 'b',
  lane: 'bulk',
  state: 'running',
  counts: { accepted: 1_000, succeeded: 700, dead: 50, cancelled: 0, pending: 250, retried: 0, duplicatesSeen: 0 },
  chunks: { total: 4, done: 3 },
  ratePerSecond: 1234.4,
  latencyMs: { p50: 120, p95: 1_500, max: 20_000 },
  receipt: { operations: { 'queue.put': 4, 'blob.put': 9 }, handlerSeconds: 1 },
};

function screen(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, columns: 30, written, write: (text: string) => written.push(text) > 0 };
}

describe('a status line', () => {
  it('is redrawn in a terminal, and never wraps', () => {
    const terminal = screen(true);
    const line = createStatusLine(terminal, () => 0);
    line.show('x'.repeat(50));
    line.finish('done');
    expect(terminal.written).toEqual([`\r\u001b[2K${'x'.repeat(29)}`, '\r\u001b[2Kdone\n']);
  });

  it('is a plain line every two seconds elsewhere', () => {
    const file = screen(false);
    let now = 0;
    const line = createStatusLine(file, () => now);
    for (; now <= 5_000; now += 500) line.show(`${now}`);
    line.finish('done');
    expect(file.written).toEqual(['2000\n', '4000\n', 'done\n']);
  });
});

describe('what is shown', () => {
  it('of progress: items done, the sum of all queues, the rate', () => {
    const queues = [
      { queue: 'a', workload: 'w', depth: 3, active: 2 },
      { queue: 'b', workload: 'w', depth: 4, active: 1 },
    ];
    expect(describeProgress(batch, queues)).toBe(
      'Process [##################......] 750 of 1,000 items, queue depth 7, 3 dequeue tasks active, 1,234 items/s',
    );
  });

  it('of a batch: counts, latency, operations, memory', () => {
    expect(describeBatch(batch, 250_000_000)).toEqual([
      'State: running',
      'Items: 1,000 accepted, 700 succeeded, 50 dead letters, 0 retried',
      'Latency from acceptance to done: p50 0.12 s, p95 1.50 s, max 20.0 s',
      'Operations: 13 (one message an item would take 3,000 on the queue alone)',
      '  blob.put 9, queue.put 4',
      'Peak memory of the host, worker threads included: 250.0 MB',
    ]);
  });

  it('of a report: its first rows, with the fields that they have', () => {
    const rows = [
      { key: 'a', value: { net: '1.00' } },
      { key: 'bb', value: { net: '12.00', lines: 2 } },
      { key: 'c', value: 7 },
    ];
    expect(describeReport(rows)).toEqual([
      'Report: 3 rows',
      '  key  net    lines  value',
      '  a     1.00',
      '  bb   12.00      2',
      '  c                      7',
    ]);
  });

  it('of nothing', () => {
    expect(formatBar(0)).toBe(`[${'.'.repeat(24)}]`);
    expect(formatTable([])).toEqual([]);
  });
});

describe('a file to upload', () => {
  it.each([
    ['a.ndjson', 'application/x-ndjson', 'zstd', true],
    ['a.b.jsonl', 'application/x-ndjson', 'zstd', true],
    ['a.json.gz', 'application/json', 'gzip', false],
    ['A.CSV.BR', 'text/csv', 'br', false],
    ['a.csv.zst', 'text/csv', 'zstd', false],
  ])('%s is %s in %s', (name, contentType, encoding, compress) => {
    expect(describeFile(name)).toEqual({ contentType, encoding, compress });
  });
});
