/** Finds a value in the text of a record, so that a fault shows the column of the value instead of that of the record. */

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /[^,:{}[\]"\s]+/y;
/** How much a character outside of strings changes the depth. */
const SIGNS: ReadonlyMap<string, number> = new Map([
  ...(['{', '['] as const).map((sign) => [sign, 1] as const),
  ...(['}', ']'] as const).map((sign) => [sign, -1] as const),
  ...([',', ':', ' ', '\t', '\r', '\n'] as const).map((sign) => [sign, 0] as const),
]);

/** Maximum levels that are searched: each one reads the rest of the record again. */
const MAX_LEVELS = 16;

/**
 * Returns the 1-based column, in characters, of the value at `path` in `text`, which is one JSON value on one line. If the
 * path leads to nothing (a missing field), returns the column of the last value on the path;
 * so it does for a value below 16 levels.
 */
export function columnOfValue(text: string, path: readonly PropertyKey[]): number {
  let offset = skip(SPACE, text, 0);
  for (const key of path.slice(0, MAX_LEVELS)) {
    const next = offsetOfKey(text, offset, String(key));
    if (next === undefined) break;
    offset = next;
  }
  return [...text.slice(0, offset)].length + 1;
}

/** Finds the value of `key` in the object or array at `start`. If a key occurs twice, the last one counts. */
function offsetOfKey(text: string, start: number, key: string): number | undefined {
  const isArray = text[start] === '[';
  if (!isArray && text[start] !== '{') return undefined;
  let found: number | undefined;
  let offset = skip(SPACE, text, start + 1);
  for (let index = 0; offset < text.length && text[offset] !== ']' && text[offset] !== '}'; index++) {
    let name = String(index);
    if (!isArray) {
      const end = skip(STRING, text, offset);
      name = JSON.parse(text.slice(offset, end)) as string;
      offset = skip(SPACE, text, skip(SPACE, text, end) + 1); // + 1: the colon
    }
    if (name === key) found = offset;
    if (name === key && isArray) break;
    offset = skip(SPACE, text, valueEnd(text, offset));
    if (text[offset] === ',') offset = skip(SPACE, text, offset + 1);
  }
  return found;
}

function valueEnd(text: string, start: number): number {
  let depth = 0;
  let offset = start;
  do {
    const sign = text[offset] ?? '';
    if (sign === '"') offset = skip(STRING, text, offset);
    else if (SIGNS.has(sign)) {
      depth += SIGNS.get(sign) ?? 0;
      offset++;
    } else offset = skip(SCALAR, text, offset);
  } while (depth > 0 && offset < text.length);
  return offset;
}

function skip(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset;
  return pattern.test(text) ? pattern.lastIndex : offset;
}
