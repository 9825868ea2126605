import type { JSX } from 'preact';
import type { BatchView } from '../../api/types.ts';
import { formatClock, formatCount, formatDuration, formatTime, plain } from '../../format.ts';
import { href } from '../../routing.ts';
import { type Revision, revisionName } from './revision.ts';

export interface RevisionsProps {
  batch: BatchView;
  /** Number of the revision whose times are shown. */
  chosen: number;
}

/** The upload and all later redrives and discards, newest first, each with its own times. */
export function Revisions({ batch, chosen }: RevisionsProps): JSX.Element {
  const { id, revisions } = batch;
  const missing = (revisions[1]?.revision ?? 1) - 1;
  return (
    <section class="panel flush">
      <table class="table small stacking many-columns revisions">
        <thead>
          <tr>
            <th>Revision</th>
            <th>Queued</th>
            <th>Started</th>
            <th>Completed</th>
            <th class="number">Took</th>
            <th class="number">Items</th>
            <th class="number">p95</th>
          </tr>
        </thead>
        <tbody>
          {revisions.toReversed().map((revision) => (
            <Row key={revision.revision} id={id} revision={revision} isChosen={revision.revision === chosen} />
          ))}
        </tbody>
      </table>
      {missing > 0 && (
        <footer class="table-foot">
          {missing === 1 ? 'Revision 1 is' : `Revisions 1 to ${formatCount(missing)} are`} not kept any more.
        </footer>
      )}
    </section>
  );
}

function Row({ id, revision, isChosen }: { id: string; revision: Revision; isChosen: boolean }): JSX.Element {
  const { opened, queued, started, completed, items, latencyMs, reason } = revision;
  return (
    <tr class={isChosen ? 'linked chosen' : 'linked'}>
      <td class="main-cell">
        <a
          class="row-link"
          href={href(`batches/${id}`, { revision: String(revision.revision) })}
          aria-current={isChosen ? 'true' : undefined}
          title="Show its timeline"
        >
          <strong>{revisionName(revision)}</strong>
        </a>
        <small>opened {formatTime(opened)}</small>
        {reason !== undefined && <bdi class="file-name">{plain(reason)}</bdi>}
      </td>
      {(
        [
          ['Queued', queued],
          ['Started', started],
          ['Completed', completed],
        ] as const
      ).map(([name, at]) => (
        <td key={name} data-label={name} title={at === null ? '' : formatTime(at)}>
          {at === null ? '–' : formatClock(at)}
        </td>
      ))}
      <td data-label="Took" class="number">
        {completed === null ? '–' : formatDuration(Math.max(0, Date.parse(completed) - Date.parse(opened)))}
      </td>
      <td data-label="Items" class="number">
        {formatCount(items)}
      </td>
      <td data-label="p95" class="number">
        {latencyMs === null ? '–' : formatDuration(latencyMs.p95)}
      </td>
    </tr>
  );
}
