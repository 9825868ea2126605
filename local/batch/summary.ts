import { describeBatch, type ShownBatch } from '../../cli/text/batch-text.ts';
import { formatCount, formatMegabytes } from '../../cli/text/format.ts';
import { type ReportRow, reportTable } from '../../cli/text/report-text.ts';

const ROWS_SHOWN = 8;

/** Returns the first rows of a report as a table. */
export const describeReport = (rows: readonly ReportRow[]): string[] => [
  `Report: ${formatCount(rows.length)} rows${rows.length > ROWS_SHOWN ? `, the first ${ROWS_SHOWN}` : ''}`,
  ...reportTable(rows.slice(0, ROWS_SHOWN)),
];

/** Describes counts, latency, cost and memory of a finished batch. */
export const describeRun = (batch: ShownBatch, peakBytes: number | undefined, instances = 1): string[] => [
  ...describeBatch(batch),
  ...(peakBytes === undefined
    ? []
    : [
        `Peak memory of ${instances === 1 ? 'the host' : 'the instance that used most'}, including worker threads: ${formatMegabytes(peakBytes)}`,
      ]),
];
