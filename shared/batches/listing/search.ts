import type { IndexEntry } from './index-rows.ts';

/** Fewer characters of an id match too many batches by chance: 4 hex digits match one of 65,536. */
const MIN_OF_ID = 4;
/** Digits of an id after its last dash. They are random, and are shown where an id must be short. */
const ID_END = 12;

/**
 * Returns whether a batch matches the text: the name of its file or the value of a label contains it, its id begins or
 * ends with it, or the last 12 digits of its id begin with it. Ignores case, and the difference between composed and
 * decomposed characters.
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
