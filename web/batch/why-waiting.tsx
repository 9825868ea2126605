import type { ComponentChildren, JSX } from 'preact';
import type { BatchView } from '../api/types.ts';
import { formatClock, formatNumberOf, formatTime, plain } from '../format.ts';
import { queueHref } from '../routing.ts';
import { Icon } from '../ui/icon.tsx';
import { isFinished } from './finished.ts';

/** Why no chunk of a batch runs: its own pause, a blocked queue, or the batches before it. Empty if none applies. */
export function WhyWaiting({ batch }: { batch: BatchView }): JSX.Element | null {
  const { paused, blocked, waiting } = batch;
  if (isFinished(batch)) return null;
  return (
    <>
      {paused && (
        <Notice>
          <strong>This batch is paused</strong> since <Since at={paused.since} /> by{' '}
          {paused.by === 'halt' ? 'the halt rule of its workload' : 'an operator'}: <bdi>{plain(paused.reason)}</bdi>
          {paused.until !== undefined && `; the first sweep after ${formatTime(paused.until)} resumes it`}
        </Notice>
      )}
      {blocked && (
        <Notice>
          <strong>
            Blocked
            {blocked.queue !== undefined && (
              <>
                {' '}
                by queue <QueueLink queue={blocked.queue} />
              </>
            )}
          </strong>
          {blocked.since !== undefined && (
            <>
              {' '}
              since <Since at={blocked.since} />
            </>
          )}
          : <bdi>{plain(blocked.reason)}</bdi>
        </Notice>
      )}
      {waiting && !paused && <Waiting waiting={waiting} isBlocked={blocked !== undefined} />}
    </>
  );
}

function Waiting({
  waiting,
  isBlocked,
}: {
  waiting: NonNullable<BatchView['waiting']>;
  isBlocked: boolean;
}): JSX.Element {
  const { queue, batchesAhead, itemsAhead, nextAt, reason } = waiting;
  return (
    <Notice tone="info">
      <strong>
        {batchesAhead === 0
          ? 'First in its queue'
          : `Behind ${formatNumberOf(batchesAhead, 'batch', 'batches')} of ${formatNumberOf(itemsAhead, 'item')}`}
      </strong>
      {!isBlocked && (
        <>
          {' '}
          in <QueueLink queue={queue} />: <bdi>{plain(reason)}</bdi>
        </>
      )}
      {nextAt !== undefined && `; continues at ${formatClock(nextAt)}`}
    </Notice>
  );
}

const QueueLink = ({ queue }: { queue: string }): JSX.Element => (
  <a class="mono" href={queueHref(queue)}>
    {queue}
  </a>
);

const Since = ({ at }: { at: string }): JSX.Element => (
  <time dateTime={at} title={formatClock(at)}>
    {formatTime(at)}
  </time>
);

const Notice = ({ tone = 'warn', children }: { tone?: 'warn' | 'info'; children: ComponentChildren }): JSX.Element => (
  <div class={`notice ${tone}`}>
    <Icon name={tone === 'warn' ? 'pause' : 'queues'} />
    <p>{children}</p>
  </div>
);
