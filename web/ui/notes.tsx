import type { JSX } from 'preact';
import type { Note } from '../api/types.ts';
import { plain } from '../format.ts';
import { QueueLink } from './pieces.tsx';

/** What the server says about a queue or a batch, as a list. */
export const Notes = ({ notes }: { notes: readonly Note[] }): JSX.Element => (
  <ul class="why">
    {notes.map((note) => (
      <li key={note.text} class={note.tone}>
        <p>
          <bdi>
            <Text {...note} />
          </bdi>
        </p>
      </li>
    ))}
  </ul>
);

/** A text in which the name of a queue is a link. */
function Text({ text, queue = '' }: Pick<Note, 'text' | 'queue'>): JSX.Element {
  const at = queue === '' ? -1 : text.indexOf(queue);
  if (at < 0) return <>{plain(text)}</>;
  return (
    <>
      {plain(text.slice(0, at))}
      <QueueLink queue={queue} />
      {plain(text.slice(at + queue.length))}
    </>
  );
}
