/** The item of a dead letter in the form in which people edit it: indented JSON, with all digits of its numbers. */
import { parseExact } from '../../../shared/contract/text/exact-json.ts';
import type { DeadLetter } from '../../api/types.ts';

/** Returns the item as uploaded; empty if the item cannot be read. */
export const itemJson = ({ item }: Pick<DeadLetter, 'item'>): string => indented(item === undefined ? {} : item);

/** Formats JSON as this page writes it, regardless of its white space. @throws SyntaxError. */
export const reindented = (text: string): string => indented(parseExact(text));

const indented = (value: unknown): string => JSON.stringify(value, null, 2);

/** Returns the place of an item, counted from 1. */
export const placeOf = ({ index, line }: Pick<DeadLetter, 'index' | 'line'>): string =>
  line === null ? `Item ${index}` : `Line ${line}`;

/** The text that a search covers. */
type Sought = Pick<DeadLetter, 'index' | 'line' | 'item'> & { error: Pick<DeadLetter['error'], 'name' | 'message'> };

/** Whether a dead letter has `text` in its item or message, or has that line or item number. */
export function hasText(letter: Sought, text: string): boolean {
  if (text === String(letter.line) || text === String(letter.index)) return true;
  const sought = text.toLowerCase();
  const { name, message } = letter.error;
  const texts = [name, message, letter.item === undefined ? '' : JSON.stringify(letter.item)];
  return texts.some((each) => each.toLowerCase().includes(sought));
}

/** Returns why a text is not JSON; undefined if it is. */
export function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'Not JSON';
  }
}
