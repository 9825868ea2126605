import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { formatCount, plain } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { Scrolling } from '../../ui/scrolling.tsx';
import { numberText } from './report-chart.tsx';
import type { ReportRow } from './report-rows.ts';
import { cellOf, cellText } from './report-rows.ts';

const STEP = 50;

export interface ReportTableProps {
  rows: readonly ReportRow[];
  columns: readonly string[];
  numeric: readonly string[];
  total: number;
}

/** The rows of a report, as many at a time as a person can scan. */
export function ReportTable({ rows, columns, numeric, total }: ReportTableProps): JSX.Element {
  const [shown, setShown] = useState(STEP);
  return (
    <section class="panel flush">
      <Scrolling label="Report">
        <table class="table small">
          <thead>
            <tr>
              <th>key</th>
              {columns.map((column) => (
                <th key={column} class={numeric.includes(column) ? 'number' : ''}>
                  {plain(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row) => (
              <tr key={row.key}>
                <td class="mono">
                  <bdi>{plain(row.key)}</bdi>
                </td>
                {columns.map((column) => (
                  <Cell key={column} cell={cellOf(row, column)} isNumber={numeric.includes(column)} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
      <footer class="table-foot">
        <span>
          {formatCount(Math.min(shown, rows.length))} of {formatCount(rows.length)} rows
          {rows.length < total && `, filtered from ${formatCount(total)}`}
        </span>
        {shown < rows.length && (
          <Button size="small" onClick={() => setShown(shown + STEP)}>
            Show more
          </Button>
        )}
      </footer>
    </section>
  );
}

function Cell({ cell, isNumber }: { cell: unknown; isNumber: boolean }): JSX.Element {
  const text = cellText(cell);
  return <td class={isNumber ? 'number' : ''}>{isNumber ? numberText(text) : <bdi>{plain(text)}</bdi>}</td>;
}
