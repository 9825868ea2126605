import type { JSX } from 'preact';
import type { BatchEntry } from '../api/types.ts';
import { formatRate, formatTime, plain, shortId } from '../format.ts';
import { batchHref } from '../routing.ts';
import { Labels, StateTag } from '../ui/pieces.tsx';
import { Deadline } from './deadline.tsx';
import { Progress } from './progress.tsx';

export interface BatchTableProps {
  batches: readonly BatchEntry[];
  /** Ids of the rows that are selected. */
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
  onLabel: (label: string) => void;
}

/** One row per batch. */
export function BatchTable({ batches, chosen, onChoose, onLabel }: BatchTableProps): JSX.Element {
  const choose = (id: string, isChosen: boolean): void =>
    onChoose(new Set(isChosen ? [...chosen, id] : [...chosen].filter((each) => each !== id)));
  return (
    <section class="panel flush">
      <table class="table stacking many-columns batches">
        <thead>
          <tr>
            <th>Batch</th>
            <th>State</th>
            <th class="wide-cell">Progress</th>
            <th class="number">Items/s</th>
            <th>Against the deadline</th>
          </tr>
        </thead>
        <tbody>
          {batches.map((batch) => (
            <BatchRow
              key={batch.id}
              batch={batch}
              isChosen={chosen.has(batch.id)}
              onChoose={(isChosen) => choose(batch.id, isChosen)}
              onLabel={onLabel}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface BatchRowProps {
  batch: BatchEntry;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
  onLabel: (label: string) => void;
}

function BatchRow({ batch, isChosen, onChoose, onLabel }: BatchRowProps): JSX.Element {
  const { file, labels, blocked } = batch;
  const { id, workload, lane, state, createdAt, accepted, dead, pending, ratePerSecond } = batch;
  return (
    <tr class={isChosen ? 'linked chosen' : 'linked'}>
      <td class="main-cell">
        <input
          type="checkbox"
          class="row-check"
          aria-label={`Select ${workload} ${shortId(id)}`}
          checked={isChosen}
          onChange={({ currentTarget }) => onChoose(currentTarget.checked)}
        />{' '}
        <a href={batchHref(id)} class="row-link" title={id}>
          <strong>{workload}</strong> <span class="mono">{shortId(id)}</span>
        </a>
        {file !== undefined && <bdi class="file-name">{plain(file)}</bdi>}
        <small>
          {formatTime(createdAt)} · lane {lane}
        </small>
        {labels && <Labels labels={labels} onChoose={onLabel} />}
      </td>
      <td data-label="State">
        <div class="state-cell">
          <StateTag state={state} blocked={blocked} />
          {blocked && <small>{plain(blocked.reason)}</small>}
          {state === 'reportFailed' && (
            <a class="tone-bad" href={batchHref(id, 'report')}>
              Reason and repair
            </a>
          )}
        </div>
      </td>
      <td data-label="Progress" class="wide-cell">
        <Progress state={state} accepted={accepted} dead={dead} pending={pending} />
      </td>
      <td class="number" data-label="Items/s">
        {ratePerSecond === null || ratePerSecond === 0 ? <span class="soft">–</span> : formatRate(ratePerSecond)}
      </td>
      <td data-label="Deadline">
        <Deadline batch={batch} />
      </td>
    </tr>
  );
}
