import type { JSX } from 'preact';
import type { DeadLettersOfBatches } from '../api/types.ts';
import { formatCount, formatNumberOf, formatTime, plain, shortId } from '../format.ts';
import { href } from '../routing.ts';
import { Button } from '../ui/button.tsx';
import { Labels, StateTag, Tag } from '../ui/pieces.tsx';

export type CauseOfWorkload = DeadLettersOfBatches['groups'][number];
export type BatchOfCause = CauseOfWorkload['batches'][number];

export interface AskedOfBatches {
  kind: 'redrive' | 'discard';
  group: CauseOfWorkload;
}

export interface CauseOfBatchesProps {
  group: CauseOfWorkload;
  onAsk: (asked: AskedOfBatches) => void;
}

/** A cause in one workload: its batches, and the actions on all of them. */
export function CauseOfBatches({ group, onAsk }: CauseOfBatchesProps): JSX.Element {
  const { cause, workload, count, batches, moreBatches } = group;
  const all = formatNumberOf(batches.length + moreBatches, 'batch', 'batches');
  return (
    <section class="panel cause">
      <header>
        <div>
          <Tag tone="warn">{workload}</Tag>
          <h2 class="cause-text">
            <bdi>{plain(cause)}</bdi>
          </h2>
          <p class="soft">
            {formatNumberOf(count, 'item')} in {all}
          </p>
        </div>
        <div class="cause-actions">
          <Button icon="redo" size="small" onClick={() => onAsk({ kind: 'redrive', group })}>
            Redrive in all
          </Button>
          <Button look="quiet" size="small" onClick={() => onAsk({ kind: 'discard', group })}>
            Discard in all
          </Button>
        </div>
      </header>
      <ul class="steps">
        {batches.map((batch) => (
          <li key={batch.id}>
            <BatchLink batch={batch} cause={cause} />
            <span>
              {batch.labels && <Labels labels={batch.labels} />} <StateTag state={batch.state} />{' '}
              <b>{formatCount(batch.count)}</b>
            </span>
          </li>
        ))}
      </ul>
      {moreBatches > 0 && (
        <p class="soft">
          and {formatNumberOf(moreBatches, 'older batch', 'older batches')}: narrow the days to see them
        </p>
      )}
    </section>
  );
}

export const BatchLink = ({
  batch: { id, file, createdAt },
  cause,
}: {
  batch: BatchOfCause;
  cause: string;
}): JSX.Element => (
  <span>
    <a href={href(`batches/${id}/dead-letters`, { cause })}>
      {file === undefined ? <span class="mono">{shortId(id)}</span> : <bdi>{plain(file)}</bdi>}
    </a>{' '}
    <small>{formatTime(createdAt)}</small>
  </span>
);
