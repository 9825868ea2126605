/** How far a file of the inbox is read, or why it was rejected, as texts. Pure. */
import { numberText } from '../edge/notes.ts';
import type { InboxFileView } from './schemas.ts';

/** Maximum number of places of a rejected file that are named. */
const MAX_PLACES = 10;

/** Returns the notes on a file; empty if it waits, and if nothing has read it yet. */
export function fileNotes({ state, ...file }: Omit<InboxFileView, 'notes'>): string[] {
  if (state === 'taking') return readNotes(file);
  return state === 'rejected' ? rejectionNotes(file) : [];
}

function readNotes({ bytes, readBytes, readItems }: Omit<InboxFileView, 'notes' | 'state'>): string[] {
  if (readBytes === undefined || readItems === undefined) return [];
  const percent = Math.min(100, Math.floor((100 * readBytes) / Math.max(1, bytes)));
  return [`${percent} % of ${sizeText(bytes)} read, ${numberText(readItems, 'item')}`];
}

function rejectionNotes({ reason }: Pick<InboxFileView, 'reason'>): string[] {
  if (reason === undefined) return ['the reason was deleted'];
  const { detail, errors } = reason;
  const places = errors
    .slice(0, MAX_PLACES)
    .filter(({ message }) => message === '' || !detail.includes(message))
    .map(({ line, column, message }) => {
      const place = column === undefined ? `line ${line}` : `line ${line}, column ${column}`;
      return message === '' ? `at ${place}` : `at ${place}: ${message}`;
    });
  const more = errors.length > MAX_PLACES ? [`and ${errors.length - MAX_PLACES} more places`] : [];
  return [detail, ...places, ...more];
}

/** Formats bytes in units of a thousand. */
const sizeText = (bytes: number): string =>
  bytes < 100_000 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
