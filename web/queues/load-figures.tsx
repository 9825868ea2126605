import type { JSX } from 'preact';
import type { QueueView } from '../api/types.ts';
import { loadFigures } from './load-texts.ts';

/** The load of the instances in the last wave of a queue; empty for a queue that was never drained. */
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
