/** The item of a dead letter as people read and change it: indented JSON, with all digits of its numbers. */
import { parseExact } from '../../../shared/contract/text/exact-json.ts';
import type { DeadLetter } from '../../api/types.ts';

/** As it was uploaded; an item that cannot be read begins empty. */
export const itemJson = ({ item }: Pick<DeadLetter, 'item'>): string => indented(item === undefined ? {} : item);

/** JSON as this page writes it, whatever its spaces and line ends were. @throws SyntaxError. */
export const reindented = (text: string): string => indented(parseExact(text));

const indented = (value: unknown): string => JSON.stringify(value, null, 2);

/** Where an item stands, as people count. */
export const placeOf = ({ index, line }: Pick<DeadLetter, 'index' | 'line'>): string =>
  line === null ? `Item ${index}` : `Line ${line}`;

/** What a search looks at. */
type Sought = Pick<DeadLetter, 'index' | 'line' | 'item'> & { error: Pick<DeadLetter['error'], 'name' | 'message'> };

/** Whether a dead letter has `text` in its item or message, or is the line or item of that number. */
export function hasText(letter: Sought, text: string): boolean {
  if (text === String(letter.line) || text === String(letter.index)) return true;
  const sought = text.toLowerCase();
  const { name, message } = letter.error;
  const texts = [name, message, letter.item === undefined ? '' : JSON.stringify(letter.item)];
  return texts.some((each) => each.toLowerCase().includes(sought));
}

/** Why a text is not JSON; undefined when it is. */
export function jsonFault(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'Not JSON';
  }
}
