import type { JSX } from 'preact';
import type { CostPeriod } from '../api/types.ts';
import { formatCount, formatUsd } from '../format.ts';
import { Scrolling } from '../ui/scrolling.tsx';

/** Who polls or charges while nothing is to be done, line by line. */
export function IdleLines({ period: { idle } }: { period: CostPeriod }): JSX.Element {
  return (
    <Scrolling label="Cost while idle">
      <table class="table small stacking">
        <thead>
          <tr>
            <th>Who</th>
            <th>What it does</th>
            <th class="number">Times</th>
            <th class="number">Cost, this month so far</th>
          </tr>
        </thead>
        <tbody>
          {idle.lines.map(({ who, does, count, usd }) => (
            <tr key={`${who} ${does}`}>
              <td class="main-cell">{who}</td>
              <td class="text-cell">{does}</td>
              <td class="number" data-label="Times">
                {count === null ? <span class="soft">–</span> : formatCount(count)}
              </td>
              <td class="number" data-label="Cost">
                {usd === null ? <span class="soft">no price</span> : formatUsd(usd)}
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td colSpan={3}>All of it</td>
            <td class="number">{formatUsd(idle.usd)}</td>
          </tr>
        </tfoot>
      </table>
    </Scrolling>
  );
}
