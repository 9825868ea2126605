import type { JSX } from 'preact';
import type { BatchView } from '../../api/types.ts';
import { formatClock, formatCount, formatDuration, formatTime, plain } from '../../format.ts';
import { href } from '../../routing.ts';
import { type Column, known, Table } from '../../ui/table.tsx';
import { type Revision, revisionName } from './revision.ts';

export interface RevisionsProps {
  batch: BatchView;
  chosen: number;
}

/** The upload and all later redrives and discards, newest first, each with its own times. */
export function Revisions({ batch, chosen }: RevisionsProps): JSX.Element {
  const { id, revisions } = batch;
  const missing = (revisions[1]?.revision ?? 1) - 1;
  return (
    <section class="panel flush">
      <Table
        look="small many-columns revisions"
        columns={[nameColumn(id, chosen), ...COLUMNS]}
        rows={revisions.toReversed()}
        keyOf={({ revision }) => revision}
        rowLook={({ revision }) => (revision === chosen ? 'linked chosen' : 'linked')}
      />
      {missing > 0 && (
        <footer class="table-foot">
          {missing === 1 ? 'Revision 1 is' : `Revisions 1 to ${formatCount(missing)} are`} not kept any more.
        </footer>
      )}
    </section>
  );
}

const nameColumn = (id: string, chosen: number): Column<Revision> => ({
  title: 'Revision',
  kind: 'main-cell',
  cell: (revision) => (
    <>
      <a
        class="row-link"
        href={href(`batches/${id}`, { revision: String(revision.revision) })}
        aria-current={revision.revision === chosen ? 'true' : undefined}
        title="Show its timeline"
      >
        <strong>{revisionName(revision)}</strong>
      </a>
      <small>opened {formatTime(revision.opened)}</small>
      {revision.reason !== undefined && <bdi class="file-name">{plain(revision.reason)}</bdi>}
    </>
  ),
});

const timeColumn = (title: string, timeOf: (revision: Revision) => string | null): Column<Revision> => ({
  title,
  hint: (revision) => {
    const at = timeOf(revision);
    return at === null ? undefined : formatTime(at);
  },
  cell: (revision) => known(timeOf(revision), formatClock),
});

const COLUMNS: readonly Column<Revision>[] = [
  timeColumn('Queued', ({ queued }) => queued),
  timeColumn('Started', ({ started }) => started),
  timeColumn('Completed', ({ completed }) => completed),
  {
    title: 'Took',
    kind: 'number',
    cell: ({ opened, completed }) =>
      known(completed, (at) => formatDuration(Math.max(0, Date.parse(at) - Date.parse(opened)))),
  },
  { title: 'Items', kind: 'number', cell: ({ items }) => formatCount(items) },
  { title: 'p95', kind: 'number', cell: ({ latencyMs }) => known(latencyMs, ({ p95 }) => formatDuration(p95)) },
];
