import type { JSX } from 'preact';
import { api } from '../../../api/client.ts';
import type { BatchView, DeadLetter } from '../../../api/types.ts';
import { formatName, plain } from '../../../format.ts';
import { usePolled } from '../../../live/use-polled.ts';
import { StateTag, Tag } from '../../../ui/pieces.tsx';
import { Loaded } from '../../../ui/states.tsx';
import { isFinished } from '../../finished.ts';
import { placeOf } from '../item-json.ts';
import { JsonText } from '../json-text.tsx';

export interface TryResultProps {
  batch: BatchView;
  letter: DeadLetter;
  revision: number;
}

/** Whether a revision of a batch is finished. */
export const isOver = (batch: BatchView, revision: number): boolean =>
  batch.revision > revision || (batch.revision === revision && isFinished(batch));

/** The outcome of one item that runs again, shown when its revision is finished. */
export function TryResult({ batch, letter, revision }: TryResultProps): JSX.Element {
  if (isOver(batch, revision)) return <Ended batch={batch.id} letter={letter} revision={revision} />;
  return (
    <p class="try-result" role="status">
      <span>
        {placeOf(letter)} runs again, in revision {revision}.
      </span>{' '}
      {batch.revision === revision && <StateTag state={batch.state} />}
    </p>
  );
}

function Ended({ batch, letter, revision }: { batch: string; letter: DeadLetter; revision: number }): JSX.Element {
  const polled = usePolled({
    key: ['tried', batch, letter.index, revision],
    load: (signal) =>
      api.json('GET batches/{id}/items/{position}', { path: { id: batch, position: letter.index }, signal }),
  });
  return (
    <Loaded polled={polled}>
      {({ state, result, deadLetter }) => (
        <div class="try-result" role="status">
          <span>{placeOf(letter)}:</span>{' '}
          <Tag tone={state === 'succeeded' ? 'good' : 'bad'}>{state === 'dead' ? 'Dead again' : formatName(state)}</Tag>
          {deadLetter && (
            <p class="cause-text">
              <bdi>{plain(deadLetter.error.message || deadLetter.error.name)}</bdi>
            </p>
          )}
          {result !== undefined && <JsonText value={result} name={`Result of ${placeOf(letter).toLowerCase()}`} />}
        </div>
      )}
    </Loaded>
  );
}
