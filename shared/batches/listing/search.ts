/** Comparing a batch with a text that somebody looks for. Pure. */
import type { IndexEntry } from './index-rows.ts';

/** Fewer characters of an id fit too many batches by chance: with 4 hex digits it is one of 65,536. */
const MIN_OF_ID = 4;
/** Digits of an id after its last dash; they are random, and shown where an id has to be short. */
const ID_END = 12;

/**
 * Whether a batch has the text in the name of its file or in the value of a label, or its id begins or ends with it, or
 * has it at the beginning of the last 12 digits. Upper and lower case are the same, and so are composed and decomposed
 * characters.
 */
export function matchesSearch({ id, fileName = '', labels = {} }: Searched, search: string): boolean {
  const text = folded(search);
  const isPartOfId = id.startsWith(text) || id.endsWith(text) || id.slice(-ID_END).startsWith(text);
  if (isPartOfId && text.length >= MIN_OF_ID) return true;
  return [fileName, ...Object.values(labels)].some((value) => folded(value).includes(text));
}

type Searched = Pick<IndexEntry, 'id' | 'fileName' | 'labels'>;

/** File names from macOS are decomposed. */
const folded = (text: string): string => text.normalize('NFC').toLowerCase();
