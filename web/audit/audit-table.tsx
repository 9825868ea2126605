import type { JSX } from 'preact';
import type { AuditEntry } from '../api/types.ts';
import { formatTime, plain } from '../format.ts';
import { batchHref, queueHref } from '../routing.ts';
import { Tag } from '../ui/pieces.tsx';

/** Actions of operators, one row each. Without `withTarget`, all of them are of the same queue or batch. */
export function AuditTable({
  entries,
  withTarget = true,
}: {
  entries: readonly AuditEntry[];
  withTarget?: boolean;
}): JSX.Element {
  return (
    <section class="panel flush">
      <table class="table stacking">
        <thead>
          <tr>
            <th>When</th>
            <th>Action</th>
            {withTarget && <th>To</th>}
            <th>By</th>
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <tr key={`${entry.at} ${entry.action} ${entry.target}`}>
              <td class="main-cell">
                <time dateTime={entry.at} title={entry.at}>
                  {formatTime(entry.at)}
                </time>
              </td>
              <td data-label="Action">
                <div>
                  {entry.action} {entry.status >= 400 && <Tag tone="bad">refused: {entry.status}</Tag>}
                  {entry.detail !== '' && (
                    <small>
                      <bdi>{plain(entry.detail)}</bdi>
                    </small>
                  )}
                </div>
              </td>
              {withTarget && (
                <td data-label="To">
                  <Target target={entry.target} />
                </td>
              )}
              <td data-label="By">
                <By entry={entry} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The target of an action, with a link if it has a page. */
export function Target({ target }: { target: string }): JSX.Element {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(target))
    return (
      <a class="mono" href={batchHref(target)}>
        {target}
      </a>
    );
  if (/^[a-z0-9-]{3,63}$/.test(target))
    return (
      <a class="mono" href={queueHref(target)}>
        {target}
      </a>
    );
  return <bdi class="mono">{plain(target)}</bdi>;
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
