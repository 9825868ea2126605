/**
 * Limits for the nesting of JSON. JSON.parse accepts any depth, but JSON.stringify and schema validators recurse: from about
 * 4,000 levels on they overflow the stack, in the main thread earlier than in a worker thread.
 */

/**
 * Maximum levels of arrays and objects in an item. Records rarely have ten. By default, System.Text.Json refuses more than 64,
 * Jackson more than 1,000.
 */
export const MAX_ITEM_NESTING = 100;
/** Maximum levels of a result or a folded value: a handler may wrap the item in another object. */
export const MAX_RESULT_NESTING = 200;

const BACKSLASH = 0x5c;
export const QUOTE = 0x22;
export const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Returns the offset of the first bracket of `text` (valid JSON) that opens a level beyond `most`, or undefined. Nearly free
 * for records with few brackets: `indexOf` counts them, so that not every character is inspected.
 */
export function findTooDeep(text: string, most: number): number | undefined {
  return hasBrackets(text, most + 1) ? scan(text, most) : undefined;
}

/** Whether `text` has at least `wanted` opening brackets, including those in strings, and room for the closing ones. */
function hasBrackets(text: string, wanted: number): boolean {
  if (text.length < 2 * wanted) return false;
  let left = wanted;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      left -= 1;
      if (left === 0) return true;
    }
  }
  return false;
}

function scan(text: string, most: number): number | undefined {
  let depth = 0;
  for (let offset = 0; offset < text.length; offset++) {
    const code = text.charCodeAt(offset);
    if (code === QUOTE) offset = closingQuote(text, offset);
    else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      depth += 1;
      if (depth > most) return offset;
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) depth -= 1;
  }
  return undefined;
}

/** Returns the offset of the quote that closes the string which begins at `start`; the length of the text if there is none. */
export function closingQuote(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let first = end;
    while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
    if ((end - first) % 2 === 0) return end;
  }
  return text.length;
}
