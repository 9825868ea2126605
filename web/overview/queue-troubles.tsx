import type { JSX } from 'preact';
import type { Overview } from '../api/types.ts';
import { formatAgo, formatNumberOf, formatTime, plain } from '../format.ts';
import { href } from '../routing.ts';
import { Button } from '../ui/button.tsx';
import { QueueLink } from '../ui/pieces.tsx';
import { Trouble, TroubleRow } from './trouble.tsx';

export interface QueueTroublesProps {
  overview: Overview;
  onResume: (queue: Overview['pausedQueues'][number]) => void;
  onSweep: () => void;
}

/** Queues that need attention, one section per kind. */
export function QueueTroubles({ overview, onResume, onSweep }: QueueTroublesProps): JSX.Element {
  const { pausedQueues, stuck, missedWakes, poison, at } = overview;
  const nowMs = Date.parse(at);
  const since = (iso: string): JSX.Element => <span title={formatTime(iso)}>{formatAgo(iso, nowMs)}</span>;
  const sweep = (
    <Button icon="redo" size="small" onClick={onSweep}>
      Sweep now
    </Button>
  );
  return (
    <>
      <Trouble kind="pausedQueues" tone="warn" count={pausedQueues.length}>
        {pausedQueues.map((paused) => (
          <TroubleRow
            key={paused.queue}
            name={<QueueLink queue={paused.queue} />}
            facts={[
              since(paused.since),
              <a href={href('batches', { workload: paused.workload })}>
                {formatNumberOf(paused.items, 'item')} in {formatNumberOf(paused.batches, 'batch', 'batches')}
              </a>,
              formatNumberOf(paused.messages, 'message'),
            ]}
            reason={<bdi>{plain(paused.text)}</bdi>}
            action={
              <Button icon="play" size="small" onClick={() => onResume(paused)}>
                Resume queue
              </Button>
            }
          />
        ))}
      </Trouble>
      <Trouble kind="stuck" tone="bad" count={stuck.length} action={sweep}>
        {stuck.map(({ queue, since: from, reason }) => (
          <TroubleRow
            key={queue}
            name={<QueueLink queue={queue} />}
            facts={[since(from)]}
            reason={<bdi>{plain(reason)}</bdi>}
          />
        ))}
      </Trouble>
      <Trouble kind="missedWakes" tone="warn" count={missedWakes.length} action={sweep}>
        {missedWakes.map(({ queue, count, at: latest }) => (
          <TroubleRow
            key={queue}
            name={<QueueLink queue={queue} />}
            facts={[`${formatNumberOf(count, 'time')} so far`, <>latest {since(latest)}</>]}
          />
        ))}
      </Trouble>
      <Trouble kind="poison" tone="bad" count={poison.reduce((sum, { messages }) => sum + messages, 0)}>
        {poison.map(({ queue, messages }) => (
          <TroubleRow
            key={queue}
            name={<span class="mono">{queue}</span>}
            facts={[formatNumberOf(messages, 'message')]}
            reason={
              <>
                Read them with <code>az storage message peek --queue-name {queue}</code>; then{' '}
                <code>sluice clear {queue}</code> deletes them.
              </>
            }
          />
        ))}
      </Trouble>
    </>
  );
}
