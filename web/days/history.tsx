import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { History } from '../api/types.ts';
import { Target } from '../audit/audit-table.tsx';
import { TimeChart } from '../charts/time-chart.tsx';
import {
  formatCompact,
  formatDuration,
  formatPercent,
  formatTime,
  formatUsd,
  plain,
  unverifiedText,
} from '../format.ts';
import { Panel } from '../ui/pieces.tsx';
import { Empty } from '../ui/states.tsx';
import { DayTable } from './day-table.tsx';
import { allDays, deadPercent, linesOf } from './days.ts';

/** The days as charts and as a table, with the actions of operators in this time. */
export function FinishedDays({ history }: { history: History }): JSX.Element {
  const { from, to, days: rows, markers, currency, unverified } = history;
  const days = useMemo(() => allDays(from, to), [from, to]);
  const times = useMemo(() => days.map((day) => Date.parse(day) / 1_000), [days]);
  const marks = useMemo(
    () => markers.map(({ at, action, target }) => ({ atSeconds: Date.parse(at) / 1_000, text: `${action} ${target}` })),
    [markers],
  );
  const lines = useMemo(
    () => ({
      items: linesOf(days, rows, ({ items }) => items),
      p95: linesOf(days, rows, ({ latencyP95Ms }) => latencyP95Ms),
      dead: linesOf(days, rows, deadPercent),
      cost: linesOf(days, rows, ({ usd }) => usd),
    }),
    [days, rows],
  );
  if (rows.length === 0)
    return (
      <Empty icon="days" title="Nothing has finished">
        <p>
          No batch from {from} to {to} (UTC).
        </p>
      </Empty>
    );
  const common = { times, marks, axis: 'day', quiet: 'None' } as const;
  return (
    <>
      <div class="charts">
        <TimeChart {...common} title="Items" series={lines.items} format={formatCompact} />
        <TimeChart {...common} title="p95 of the latency" series={lines.p95} format={formatDuration} leastTop={1_000} />
        <TimeChart
          {...common}
          title="Dead letters"
          series={lines.dead}
          format={(percent) => formatPercent(percent / 100)}
          leastTop={1}
        />
        <TimeChart
          {...common}
          title="Cost"
          series={lines.cost}
          format={(usd) => formatUsd(usd, currency)}
          leastTop={0.000_001}
        />
      </div>
      <DayTable rows={rows} by={history} />
      <p class="soft">{unverifiedText(unverified)}</p>
      {markers.length > 0 && (
        <Panel title="Actions of operators in this time">
          <p class="soft">The dashed lines in the charts.</p>
          <ul class="plain-list">
            {markers.map(({ at, action, target, by }) => (
              <li key={`${at} ${target}`}>
                <span>
                  {formatTime(at)}: {action} <Target target={target} />
                  {by !== '' && (
                    <>
                      , by <bdi>{plain(by)}</bdi>
                    </>
                  )}
                </span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  );
}
