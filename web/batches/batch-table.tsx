import type { JSX } from 'preact';
import type { BatchEntry } from '../api/types.ts';
import { formatRate, formatTime, shortId } from '../format.ts';
import { batchHref } from '../routing.ts';
import { Labels, StateTag } from '../ui/pieces.tsx';
import { Deadline } from './deadline.tsx';
import { Progress } from './progress.tsx';

export interface BatchTableProps {
  batches: readonly BatchEntry[];
  onLabel: (label: string) => void;
}

/** One row per batch. */
export function BatchTable({ batches, onLabel }: BatchTableProps): JSX.Element {
  return (
    <section class="panel flush">
      <table class="table stacking">
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
            <BatchRow key={batch.id} batch={batch} onLabel={onLabel} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function BatchRow({ batch, onLabel }: { batch: BatchEntry; onLabel: (label: string) => void }): JSX.Element {
  const { file, labels } = batch;
  const { id, workload, lane, state, createdAt, accepted, dead, pending, ratePerSecond } = batch;
  return (
    <tr class="linked">
      <td class="main-cell">
        <a href={batchHref(id)} class="row-link" title={id}>
          <strong>{workload}</strong> <span class="mono">{shortId(id)}</span>
        </a>
        <small>
          {formatTime(createdAt)} · lane {lane}
          {file !== undefined && ` · ${file}`}
        </small>
        {labels && <Labels labels={labels} onChoose={onLabel} />}
      </td>
      <td data-label="State">
        <StateTag state={state} />
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
