import type { JSX } from 'preact';
import type { QueueView } from '../api/types.ts';
import { loadFigures } from './load-texts.ts';

/** What the last wave of a queue took of its instances; nothing for a queue that was never drained. */
export function LoadFigures({ queue: { load, generation } }: { queue: QueueView }): JSX.Element | null {
  if (generation === 0) return null;
  if (load === null) return <small class="notes">load not measured yet</small>;
  return (
    <small class="notes">
      {loadFigures(load).map(({ text, says }) => (
        <span key={says} title={says}>
          {text}
        </span>
      ))}
    </small>
  );
}
