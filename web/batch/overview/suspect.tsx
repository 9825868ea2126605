import type { JSX } from 'preact';
import type { BatchView } from '../../api/types.ts';
import { formatCount, formatNumberOf, plain } from '../../format.ts';
import { Panel } from '../../ui/pieces.tsx';
import { CopyButton } from '../copy-button.tsx';

/** Why a batch is suspect: its most frequent causes, with an example of each. */
export function Suspect({ causes, verdict, hint, command }: NonNullable<BatchView['suspect']>): JSX.Element {
  return (
    <Panel title="Suspect">
      <p class="tone-bad">{verdict}</p>
      <ul class="letters">
        {causes.map(({ cause, count, example }) => (
          <li key={cause}>
            <b>{formatNumberOf(count, 'item')}</b>
            <p class="cause-text">
              <bdi>{plain(cause)}</bdi>
            </p>
            {example && (
              <p class="soft cause-text">
                For example at position {formatCount(example.position)}: <bdi>{plain(example.message)}</bdi>
              </p>
            )}
          </li>
        ))}
      </ul>
      <p>{plain(hint)}</p>
      <p>
        See what is wrong: <code>{command}</code> <CopyButton text={command} />
      </p>
      <p class="soft">
        Submit the corrected file as another batch, or deploy the corrected schema and redrive the dead letters.
      </p>
    </Panel>
  );
}
