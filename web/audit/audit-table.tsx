import type { JSX } from 'preact';
import type { AuditEntry } from '../api/types.ts';
import { formatTime, plain } from '../format.ts';
import { batchHref } from '../routing.ts';
import { QueueLink, Tag } from '../ui/pieces.tsx';
import { type Column, Table } from '../ui/table.tsx';

export interface AuditTableProps {
  entries: readonly AuditEntry[];
  /** False if all of them are of the same queue or batch. */
  withTarget?: boolean;
}

/** Actions of operators, one row each. */
export const AuditTable = ({ entries, withTarget = true }: AuditTableProps): JSX.Element => (
  <section class="panel flush">
    <Table columns={withTarget ? [WHEN, ACTION, TO, BY] : [WHEN, ACTION, BY]} rows={entries} keyOf={keyOf} />
  </section>
);

/** Identifies an entry of the log. */
export const keyOf = ({ at, action, target }: AuditEntry): string => `${at} ${action} ${target}`;

const WHEN: Column<AuditEntry> = {
  title: 'When',
  kind: 'main-cell',
  cell: ({ at }) => (
    <time dateTime={at} title={at}>
      {formatTime(at)}
    </time>
  ),
};
const ACTION: Column<AuditEntry> = {
  title: 'Action',
  cell: ({ action, status, detail }) => (
    <div>
      {action} {status >= 400 && <Tag tone="bad">refused: {status}</Tag>}
      {detail !== '' && (
        <small>
          <bdi>{plain(detail)}</bdi>
        </small>
      )}
    </div>
  ),
};
const TO: Column<AuditEntry> = { title: 'To', cell: ({ target }) => <Target target={target} /> };
const BY: Column<AuditEntry> = { title: 'By', cell: (entry) => <By entry={entry} /> };

/** The target of an action, with a link if it has a page. */
export function Target({ target }: { target: string }): JSX.Element {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(target))
    return (
      <a class="mono" href={batchHref(target)}>
        {target}
      </a>
    );
  return /^[a-z0-9-]{3,63}$/.test(target) ? <QueueLink queue={target} /> : <bdi class="mono">{plain(target)}</bdi>;
}

/** The operator; a name that only the request contained is marked as unverified. */
function By({ entry: { by, verified } }: { entry: AuditEntry }): JSX.Element {
  if (by === '') return <span class="soft">not known</span>;
  return (
    <span>
      <bdi>{plain(by)}</bdi> {!verified && <small title="From the request; not verified">unverified</small>}
    </span>
  );
}
