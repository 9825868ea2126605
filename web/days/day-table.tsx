import type { JSX } from 'preact';
import type { HistoryDay } from '../api/types.ts';
import { formatAmount, formatCount, formatDuration, formatPercent, type PricedBy } from '../format.ts';
import { href, parameters } from '../routing.ts';
import { type Column, known, Table } from '../ui/table.tsx';
import { deadPercent } from './days.ts';

/** One row per day and workload, newest first; each links to the batches of that day. */
export const DayTable = ({ rows, by }: { rows: readonly HistoryDay[]; by: PricedBy }): JSX.Element => (
  <section class="panel flush">
    <Table
      look="many-columns"
      columns={[...COLUMNS, costOf(by)]}
      rows={rows.toSorted((a, b) => b.day.localeCompare(a.day) || a.workload.localeCompare(b.workload))}
      keyOf={({ day, workload }) => `${day} ${workload}`}
    />
  </section>
);

const COLUMNS: readonly Column<HistoryDay>[] = [
  {
    title: 'Day (UTC)',
    kind: 'main-cell',
    cell: ({ day, workload }) => (
      <>
        <a href={href('batches', { day, workload })}>{day}</a>
        <small>{workload}</small>
      </>
    ),
  },
  { title: 'Batches', kind: 'number', cell: ({ batches }) => formatCount(batches) },
  { title: 'Items', kind: 'number', cell: ({ items }) => formatCount(items) },
  {
    title: 'p95 / deadline',
    kind: 'number',
    cell: ({ latencyP95Ms, deadlineMs }) => (
      <>
        {known(latencyP95Ms, formatDuration)} <span class="soft">/ {known(deadlineMs, formatDuration)}</span>
      </>
    ),
  },
  {
    title: 'Missed',
    kind: 'number',
    cell: ({ deadlinesMissed: missed }) =>
      missed === 0 ? <span class="soft">0</span> : <b class="tone-bad">{formatCount(missed)}</b>,
  },
  { title: 'Dead', kind: 'number', cell: (row) => <Dead row={row} /> },
];

const costOf = (by: PricedBy): Column<HistoryDay> => ({
  title: 'Cost',
  kind: 'number',
  hint: () => 'Show the cost of this day',
  cell: ({ day, usd }) => (
    <a href={href('days', { ...Object.fromEntries(parameters.value), day })}>{formatAmount(usd, by)}</a>
  ),
});

function Dead({ row }: { row: HistoryDay }): JSX.Element {
  const { day, workload, dead, discarded } = row;
  return (
    <>
      {dead === 0 ? (
        <span class="soft">0</span>
      ) : (
        <a class="tone-warn" href={href('dead-letters', { day, workload })}>
          {formatCount(dead)}, {formatPercent(deadPercent(row) / 100)}
        </a>
      )}
      {discarded > 0 && <small class="soft"> {formatCount(discarded)} discarded</small>}
    </>
  );
}
