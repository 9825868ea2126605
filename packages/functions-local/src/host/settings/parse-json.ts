import { HostStartError } from '../errors.ts';
import { isRecord } from './json.ts';

/**
 * Parses a file that contains a JSON object and possibly a byte order mark. Throws HostStartError with the file's name, and
 * with line and column of the first invalid character.
 */
export function parseJsonObject(text: string, file: string): Record<string, unknown> {
  const json = parse(text.replace(/^\uFEFF/, ''), file);
  if (isRecord(json)) return json;
  throw new HostStartError(`${file}: expected a JSON object, got ${Array.isArray(json) ? 'an array' : String(json)}.`);
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error: unknown) {
    throw new HostStartError(`${file}: not valid JSON: ${describeError(text)}.`, { cause: error });
  }
}

// Node reports a position only for some errors, and never a line.
function describeError(text: string): string {
  const at = findErrorOffset(text);
  const before = text.slice(0, at).split('\n');
  const found = at < text.length ? `unexpected ${JSON.stringify(text[at])}` : 'the file ends too early';
  return `${found} at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

const SPACE = /[ \t\r\n]*/y;
// An unescaped control character ends a string. Those from U+007F on are allowed.
const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-f]{4}))*"/iuy;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

/** Returns the offset of the first character that cannot continue the JSON before it, or the length of a truncated text. */
function findErrorOffset(text: string): number {
  let at = 0;
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const length = pattern.exec(text)?.[0].length;
    at += length ?? 0;
    return length !== undefined;
  };
  const skipMark = (mark: string): boolean => {
    if (skip(SPACE) && text[at] !== mark) return false;
    at += 1;
    return true;
  };
  const skipItems = (item: () => boolean, end: string): boolean => {
    if (skipMark(end)) return true;
    do if (!item()) return false;
    while (skipMark(','));
    return skipMark(end);
  };
  const skipMember = (): boolean => skip(SPACE) && skip(STRING) && skipMark(':') && skipValue();
  const skipValue = (): boolean => {
    if (skipMark('{')) return skipItems(skipMember, '}');
    if (skipMark('[')) return skipItems(skipValue, ']');
    return skip(STRING) || skip(SCALAR);
  };
  if (skipValue()) skip(SPACE);
  return at;
}
