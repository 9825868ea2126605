import type { JSX } from 'preact';
import { api } from '../api/client.ts';
import type { InboxFile } from '../api/types.ts';
import { formatBytes, formatName, formatPercent, formatTime, plain } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { PartsBar, Tag } from '../ui/pieces.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { useDialog } from '../ui/use-dialog.ts';

const TONES: Readonly<Record<InboxFile['state'], string>> = {
  waiting: 'info',
  taking: 'busy',
  rejected: 'bad',
  done: 'good',
};

type Open = { action: 'retry' | 'delete'; name: string };

export interface InboxTableProps {
  files: readonly InboxFile[];
  onChange: () => void;
}

/** One row per file, with the actions for a rejected one. */
export function InboxTable({ files, onChange }: InboxTableProps): JSX.Element {
  const { open, setOpen, close, act } = useDialog<Open>(onChange);
  return (
    <section class="panel flush">
      <Table
        look="many-columns inbox"
        columns={[...COLUMNS, actionsColumn((name, action) => setOpen({ action, name }))]}
        rows={files}
        keyOf={({ state, name }) => `${state} ${name}`}
      />
      {open?.action === 'retry' && (
        <Confirm
          title="Retry this file?"
          action="Retry"
          onClose={close}
          onConfirm={() => act(api.call('POST inbox/retry', { body: { name: open.name } }))}
        >
          <p>
            <bdi class="mono">{plain(open.name)}</bdi> goes back into the inbox, and the next scan of the inbox reads
            it. This helps if a setting or the workload was wrong, not the file.
          </p>
        </Confirm>
      )}
      {open?.action === 'delete' && (
        <Confirm
          title="Delete this file?"
          action="Delete"
          danger
          onClose={close}
          onConfirm={() => act(api.call('DELETE inbox', { query: { name: open.name } }))}
        >
          <p>
            <bdi class="mono">{plain(open.name)}</bdi> is removed with its reason. No batch was created from it.
          </p>
        </Confirm>
      )}
    </section>
  );
}

const COLUMNS: readonly Column<InboxFile>[] = [
  {
    title: 'File',
    kind: 'main-cell',
    cell: (file) => (
      <>
        <strong class="mono">
          <bdi>{plain(file.name)}</bdi>
        </strong>
        <small>{plain(placeOf(file))}</small>
      </>
    ),
  },
  {
    title: 'State',
    cell: (file) => (
      <div>
        <Tag tone={TONES[file.state]}>{formatName(file.state)}</Tag>
        <ReadBar file={file} />
        <small class="notes">
          {file.notes.map((note) => (
            <bdi key={note}>{plain(note)}</bdi>
          ))}
        </small>
      </div>
    ),
  },
  { title: 'Size', kind: 'number', cell: ({ bytes }) => formatBytes(bytes) },
  { title: 'Since', cell: ({ since }) => formatTime(since) },
];

const placeOf = ({ workload, lane, importedFrom }: InboxFile): string =>
  [
    workload === null ? 'no known workload' : `workload ${workload}`,
    ...(lane === null ? [] : [`lane ${lane}`]),
    ...(importedFrom === undefined ? [] : [`from ${importedFrom}`]),
  ].join(' · ');

const actionsColumn = (onOpen: (name: string, action: Open['action']) => void): Column<InboxFile> => ({
  title: 'Actions',
  kind: 'actions',
  cell: ({ state, name }) =>
    state === 'rejected' && (
      <>
        <Button icon="redo" size="small" onClick={() => onOpen(name, 'retry')}>
          Retry
        </Button>
        <Button icon="close" look="quiet" size="small" onClick={() => onOpen(name, 'delete')}>
          Delete
        </Button>
      </>
    ),
});

/** How much of a file is read; empty if that is not known. */
function ReadBar({ file: { state, bytes, readBytes, readItems } }: { file: InboxFile }): JSX.Element | null {
  if (state !== 'taking' || readBytes === undefined || readItems === undefined || bytes === 0) return null;
  const read = Math.min(1, readBytes / bytes);
  const parts = [
    { name: 'read', value: read, tone: 'good' },
    { name: 'left', value: 1 - read, tone: 'track' },
  ];
  return <PartsBar parts={parts} label={`${formatPercent(read)} read`} />;
}
