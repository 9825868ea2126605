import type { JSX } from 'preact';
import type { WaveView } from '../api/types.ts';
import { formatCount, formatDuration, formatTime } from '../format.ts';
import { type Column, Table } from '../ui/table.tsx';

/** The latest waves in figures, newest first, with the bound on the tasks of each. */
export const WaveTable = ({ waves }: { waves: readonly WaveView[] }): JSX.Element | null =>
  waves.length === 0 ? null : (
    <details class="panel waves">
      <summary>Waves in figures</summary>
      <Table look="small" columns={COLUMNS} rows={waves.toReversed()} keyOf={({ at }) => at} />
    </details>
  );

const COLUMNS: readonly Column<WaveView>[] = [
  { title: 'Ended', cell: ({ at }) => formatTime(at) },
  { title: 'Messages', kind: 'number', cell: ({ depth }) => formatCount(depth) },
  { title: 'Tasks', kind: 'number', cell: ({ tasks }) => formatCount(tasks) },
  {
    title: 'Limited by',
    cell: ({ limitedBy, late, throttled }) => (
      <span>
        {limitedBy}
        {late && <small> (for work that would be late)</small>}
        {throttled > 0 && <small> ({formatCount(throttled)} throttled)</small>}
      </span>
    ),
  },
  { title: 'Items', kind: 'number', cell: ({ items }) => formatCount(items) },
  { title: 'Took', kind: 'number', cell: ({ seconds }) => formatDuration(seconds * 1_000) },
];
