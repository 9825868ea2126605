import type { Batch, ReportRow } from './api.ts';
import { formatCount, formatMegabytes, formatSeconds, formatTable } from './format.ts';

const ROWS_SHOWN = 8;

/** The first rows of a report as a table. */
export function describeReport(rows: readonly ReportRow[]): string[] {
  const first = rows.slice(0, ROWS_SHOWN).map(({ key, value }) => ({ key, value: toFields(value) }));
  const names = [...new Set(first.flatMap(({ value }) => Object.keys(value)))];
  const cells = first.map(({ key, value }) => [key, ...names.map((name) => String(value[name] ?? ''))]);
  return [
    `Report: ${formatCount(rows.length)} rows${rows.length > ROWS_SHOWN ? `, the first ${ROWS_SHOWN}` : ''}`,
    ...formatTable([['key', ...names], ...cells]),
  ];
}

function toFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : { value };
}

/** Counts, latency, cost and memory of a batch that has ended. */
export function describeBatch({ state, counts, latencyMs, receipt }: Batch, peakBytes: number | undefined): string[] {
  const { accepted, succeeded, dead, retried } = counts;
  const latency =
    latencyMs && (['p50', 'p95', 'max'] as const).map((name) => `${name} ${formatSeconds(latencyMs[name])}`);
  return [
    `State: ${state}`,
    `Items: ${formatCount(accepted)} accepted, ${formatCount(succeeded)} succeeded, ${formatCount(dead)} dead letters, ${formatCount(retried)} retried`,
    ...(latency ? [`Latency from acceptance to done: ${latency.join(', ')}`] : []),
    ...(receipt ? describeOperations(receipt.operations, accepted) : []),
    ...(peakBytes === undefined
      ? []
      : [`Peak memory of the host, worker threads included: ${formatMegabytes(peakBytes)}`]),
  ];
}

/** With one message an item, each item is put, received and deleted. */
const OPERATIONS_A_MESSAGE = 3;

function describeOperations(operations: Record<string, number>, items: number): string[] {
  const sorted = Object.entries(operations).sort(([, a], [, b]) => b - a);
  const total = sorted.reduce((sum, [, count]) => sum + count, 0);
  const apart = formatCount(items * OPERATIONS_A_MESSAGE);
  return [
    `Operations: ${formatCount(total)} (one message an item would take ${apart} on the queue alone)`,
    `  ${sorted.map(([name, count]) => `${name} ${formatCount(count)}`).join(', ')}`,
  ];
}
