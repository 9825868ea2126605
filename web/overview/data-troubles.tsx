import type { JSX } from 'preact';
import type { Overview } from '../api/types.ts';
import { formatAgo, formatNumberOf, formatTime, plain } from '../format.ts';
import { batchHref, href } from '../routing.ts';
import { NotShown, Trouble, TroubleRow } from './trouble.tsx';

/** Errors in the submitted data: dead letters by cause, and rejected files. */
export function DataTroubles({ overview }: { overview: Overview }): JSX.Element {
  const { deadLetters, inboxRejects, at } = overview;
  return (
    <>
      <Trouble
        kind="deadLetters"
        tone="warn"
        count={deadLetters.count}
        note={deadLetters.isWhole ? '' : ' There are more: only the newest batches are counted.'}
        action={
          <a class="button plain small" href={href('dead-letters')}>
            All dead letters
          </a>
        }
      >
        {deadLetters.causes.map(({ cause, workload, count, batches, newest }) => (
          <TroubleRow
            key={`${workload} ${cause}`}
            name={
              <a href={href('dead-letters', { workload, cause })}>
                <bdi>{plain(cause)}</bdi>
              </a>
            }
            facts={[
              workload,
              formatNumberOf(count, 'item'),
              `in ${formatNumberOf(batches, 'batch', 'batches')}`,
              <a href={batchHref(newest, 'dead-letters')}>the newest batch</a>,
            ]}
            action={
              <a class="button plain small" href={href('dead-letters', { workload, cause })}>
                Correct or discard
              </a>
            }
          />
        ))}
      </Trouble>
      <Trouble
        kind="inboxRejects"
        tone="warn"
        count={inboxRejects.count}
        action={
          <a class="button plain small" href={href('inbox')}>
            Open the inbox
          </a>
        }
      >
        {inboxRejects.files.map(({ name, since, title }) => (
          <TroubleRow
            key={name}
            name={<bdi>{plain(name)}</bdi>}
            facts={[<span title={formatTime(since)}>{formatAgo(since, Date.parse(at))}</span>]}
            reason={<bdi>{plain(title)}</bdi>}
          />
        ))}
        <NotShown shown={inboxRejects.files.length} count={inboxRejects.count} />
      </Trouble>
    </>
  );
}
