import type { JSX } from 'preact';
import type { CostPeriod } from '../api/types.ts';
import { formatCount } from '../format.ts';
import { Scrolling } from '../ui/scrolling.tsx';

/** An amount in the currency of the price sheet, marked by `*` if it is based on unverified prices. */
export type FormatAmount = (usd: number, unverified?: readonly string[]) => string;

/** The costs while there is no work, line by line: what polls, and what is charged. */
export function IdleLines({ period: { idle }, amount }: { period: CostPeriod; amount: FormatAmount }): JSX.Element {
  return (
    <Scrolling label="Cost while idle">
      <table class="table small stacking">
        <thead>
          <tr>
            <th>Who</th>
            <th>What it does</th>
            <th class="number">How many</th>
            <th class="number">Cost, this month so far</th>
          </tr>
        </thead>
        <tbody>
          {idle.lines.map(({ who, does, count, usd, unverified }) => (
            <tr key={`${who} ${does}`}>
              <td class="main-cell">{who}</td>
              <td class="text-cell">{does}</td>
              <td class="number" data-label="How many">
                {count === null ? <span class="soft">–</span> : count < 10 ? String(count) : formatCount(count)}
              </td>
              <td class="number" data-label="Cost">
                {usd === null ? <span class="soft">no price</span> : amount(usd, unverified)}
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <td colSpan={3}>Total</td>
            <td class="number">{amount(idle.usd)}</td>
          </tr>
        </tfoot>
      </table>
    </Scrolling>
  );
}
