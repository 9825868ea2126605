/** Why the work of a batch waits, or is likely to be late, as texts. Pure. */
import { isFinished } from '../../../batches/batch-row.ts';
import { type Note, notesOf, numberText, pauseText, timeText, warn } from '../../edge/notes.ts';
import type { BatchView } from '../schemas.ts';

type Explained = Pick<BatchView, 'state' | 'paused' | 'blocked' | 'waiting' | 'deadline' | 'revision'>;

/** Returns the reasons, most important first; empty for a finished batch, and if nothing holds it up. */
export function batchNotes({ state, paused, blocked, waiting, deadline, revision }: Explained): Note[] {
  if (isFinished(state)) return [];
  const { atRiskAt } = deadline;
  const which = revision === 0 ? 'deadline' : `deadline of revision ${revision}`;
  return notesOf(
    paused && warn(pauseText(paused) + resumedBy(paused)),
    blocked && blockedNote(blocked),
    waiting && paused === undefined && waitingNote(waiting, blocked !== undefined),
    atRiskAt !== undefined && warn(`${which} at risk since ${timeText(atRiskAt)}: it will probably be missed`),
  );
}

const resumedBy = ({ until }: NonNullable<BatchView['paused']>): string =>
  until === undefined ? '' : '; the first sweep after that resumes it';

function blockedNote({ queue, since, reason }: NonNullable<BatchView['blocked']>): Note {
  const by = queue === undefined ? '' : ` by queue ${queue}`;
  const from = since === undefined ? '' : ` since ${timeText(since)}`;
  return { ...warn(`blocked${by}${from}: ${reason}`), queue };
}

/** The place of a batch in its queue; the reason is left out if the batch is blocked, because that note has it. */
function waitingNote(waiting: NonNullable<BatchView['waiting']>, isBlocked: boolean): Note {
  const { queue, batchesAhead, itemsAhead, nextAt, reason } = waiting;
  const items = numberText(itemsAhead, 'item');
  const place = batchesAhead === 0 ? 'first' : `behind ${numberText(batchesAhead, 'batch', 'batches')} with ${items}`;
  const why = isBlocked ? '' : `: ${reason}`;
  const next = nextAt === undefined ? '' : `; continues at ${timeText(nextAt)}`;
  return { tone: 'info', text: `${place} in queue ${queue}${why}${next}`, queue };
}
