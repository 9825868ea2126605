import type { JSX } from 'preact';
import type { BatchEntry } from '../api/types.ts';
import { formatRate, formatTime, plain, shortId } from '../format.ts';
import { batchHref } from '../routing.ts';
import { Labels, StateTag } from '../ui/pieces.tsx';
import { type Column, known, Table } from '../ui/table.tsx';
import { Deadline } from './deadline.tsx';
import { Progress } from './progress.tsx';

export interface BatchTableProps {
  batches: readonly BatchEntry[];
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
  onLabel: (label: string) => void;
}

/** One row per batch. */
export function BatchTable({ batches, chosen, onChoose, onLabel }: BatchTableProps): JSX.Element {
  const choose = (id: string, isChosen: boolean): void =>
    onChoose(new Set(isChosen ? [...chosen, id] : [...chosen].filter((each) => each !== id)));
  const name: Column<BatchEntry> = {
    title: 'Batch',
    kind: 'main-cell',
    cell: (batch) => <Name {...{ batch, onLabel }} isChosen={chosen.has(batch.id)} onChoose={choose} />,
  };
  return (
    <section class="panel flush">
      <Table
        look="many-columns batches"
        columns={[name, ...COLUMNS]}
        rows={batches}
        keyOf={({ id }) => id}
        rowLook={({ id }) => (chosen.has(id) ? 'linked chosen' : 'linked')}
      />
    </section>
  );
}

interface NameProps {
  batch: BatchEntry;
  isChosen: boolean;
  onChoose: (id: string, isChosen: boolean) => void;
  onLabel: (label: string) => void;
}

const Name = ({ batch, isChosen, onChoose, onLabel }: NameProps): JSX.Element => {
  const { id, workload, lane, file, labels, createdAt } = batch;
  return (
    <>
      <input
        type="checkbox"
        class="row-check"
        aria-label={`Select ${workload} ${shortId(id)}`}
        checked={isChosen}
        onChange={({ currentTarget }) => onChoose(id, currentTarget.checked)}
      />{' '}
      <a href={batchHref(id)} class="row-link" title={id}>
        <strong>{workload}</strong> <span class="mono">{shortId(id)}</span>
      </a>
      {file !== undefined && <bdi class="file-name">{plain(file)}</bdi>}
      <small>
        {formatTime(createdAt)} · lane {lane}
      </small>
      {labels && <Labels labels={labels} onChoose={onLabel} />}
    </>
  );
};

const COLUMNS: readonly Column<BatchEntry>[] = [
  {
    title: 'State',
    cell: ({ id, state, blocked }) => (
      <div class="state-cell">
        <StateTag state={state} blocked={blocked} />
        {blocked && <small>{plain(blocked.reason)}</small>}
        {state === 'reportFailed' && (
          <a class="tone-bad" href={batchHref(id, 'report')}>
            Reason and repair
          </a>
        )}
      </div>
    ),
  },
  { title: 'Progress', kind: 'wide-cell', cell: (batch) => <Progress {...batch} /> },
  { title: 'Items/s', kind: 'number', cell: ({ ratePerSecond }) => known(ratePerSecond || null, formatRate) },
  { title: 'Deadline', cell: (batch) => <Deadline batch={batch} /> },
];
