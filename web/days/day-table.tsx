import type { JSX } from 'preact';
import type { HistoryDay } from '../api/types.ts';
import { formatAmount, formatCount, formatDuration, formatPercent, type PricedBy } from '../format.ts';
import { href, parameters } from '../routing.ts';
import { deadPercent } from './days.ts';

/** One row per day and workload, newest first; each links to the batches of that day. */
export function DayTable({ rows, by }: { rows: readonly HistoryDay[]; by: PricedBy }): JSX.Element {
  const sorted = rows.toSorted((a, b) => b.day.localeCompare(a.day) || a.workload.localeCompare(b.workload));
  return (
    <section class="panel flush">
      <table class="table stacking many-columns">
        <thead>
          <tr>
            <th>Day (UTC)</th>
            <th class="number">Batches</th>
            <th class="number">Items</th>
            <th class="number">p95 / deadline</th>
            <th class="number">Missed</th>
            <th class="number">Dead</th>
            <th class="number">Cost</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <Row key={`${row.day} ${row.workload}`} row={row} by={by} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ row, by }: { row: HistoryDay; by: PricedBy }): JSX.Element {
  const { day, workload, batches, items, dead, discarded, deadlinesMissed, latencyP95Ms, deadlineMs, usd } = row;
  return (
    <tr>
      <td class="main-cell">
        <a href={href('batches', { day, workload })}>{day}</a>
        <small>{workload}</small>
      </td>
      <td class="number" data-label="Batches">
        {formatCount(batches)}
      </td>
      <td class="number" data-label="Items">
        {formatCount(items)}
      </td>
      <td class="number" data-label="p95 / deadline">
        {latencyP95Ms === null ? '–' : formatDuration(latencyP95Ms)}{' '}
        <span class="soft">/ {deadlineMs === null ? '–' : formatDuration(deadlineMs)}</span>
      </td>
      <td class="number" data-label="Deadlines missed">
        {deadlinesMissed === 0 ? <span class="soft">0</span> : <b class="tone-bad">{formatCount(deadlinesMissed)}</b>}
      </td>
      <td class="number" data-label="Dead letters">
        {dead === 0 ? (
          <span class="soft">0</span>
        ) : (
          <a class="tone-warn" href={href('dead-letters', { day, workload })}>
            {formatCount(dead)}, {formatPercent(deadPercent(row) / 100)}
          </a>
        )}
        {discarded > 0 && <small class="soft"> {formatCount(discarded)} discarded</small>}
      </td>
      <td class="number" data-label="Cost">
        <a href={href('days', { ...Object.fromEntries(parameters.value), day })} title="The cost of this day">
          {formatAmount(usd, by)}
        </a>
      </td>
    </tr>
  );
}
