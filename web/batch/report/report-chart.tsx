import type { JSX } from 'preact';
import { BarList } from '../../charts/bar-list.tsx';
import { plain } from '../../format.ts';
import { Panel } from '../../ui/pieces.tsx';
import type { ReportRow } from './report-rows.ts';
import { cellNumber, cellOf, cellText } from './report-rows.ts';

const SHOWN = 10;

/** The keys with the largest values, as bars. */
export function ReportChart({ rows, column }: { rows: readonly ReportRow[]; column: string }): JSX.Element {
  const bars = rows.slice(0, SHOWN).map((row) => {
    const cell = cellOf(row, column);
    return { name: row.key, value: cellNumber(cell), text: numberText(cellText(cell)) };
  });
  return (
    <Panel title={`Largest ${plain(column)}`}>
      <BarList bars={bars} />
    </Panel>
  );
}

/** Adds thousands separators before the decimal point; all digits remain. */
export const numberText = (text: string): string =>
  text.replace(/\d+/, (digits) => digits.replace(/\B(?=(\d{3})+$)/g, ','));
