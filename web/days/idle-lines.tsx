import type { JSX } from 'preact';
import type { CostPeriod } from '../api/types.ts';
import { formatCount } from '../format.ts';
import { Scrolling } from '../ui/scrolling.tsx';
import { known, Table } from '../ui/table.tsx';

/** An amount in the currency of the price sheet, marked by `*` if it is based on unverified prices. */
export type FormatAmount = (usd: number, unverified?: readonly string[]) => string;

/** The costs while there is no work, line by line: what polls, and what is charged. */
export const IdleLines = ({ period: { idle }, amount }: { period: CostPeriod; amount: FormatAmount }): JSX.Element => (
  <Scrolling label="Cost while idle">
    <Table
      look="small"
      rows={idle.lines}
      keyOf={({ who, does }) => `${who} ${does}`}
      columns={[
        { title: 'Who', kind: 'main-cell', cell: ({ who }) => who },
        { title: 'What it does', kind: 'text-cell', cell: ({ does }) => does },
        {
          title: 'How many',
          kind: 'number',
          cell: ({ count }) => known(count, (n) => (n < 10 ? String(Number(n.toFixed(2))) : formatCount(n))),
        },
        {
          title: 'Cost, this month so far',
          kind: 'number',
          cell: ({ usd, unverified }) => (usd === null ? <span class="soft">no price</span> : amount(usd, unverified)),
        },
      ]}
    >
      <tfoot>
        <tr>
          <td colSpan={3}>Total</td>
          <td class="number">{amount(idle.usd)}</td>
        </tr>
      </tfoot>
    </Table>
  </Scrolling>
);
