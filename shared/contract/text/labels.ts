/** Labels that a client gives its batch: `key=value,key2=value2` with percent-encoded values, the syntax of W3C baggage. */

export type Labels = Readonly<Record<string, string>>;

export const MAX_LABELS = 10;
const KEY = /^[a-z0-9][a-z0-9._-]{0,39}$/;
const MAX_VALUE = 100;
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Returns a sentence about what is wrong with a label, or undefined if it is valid. */
export function labelFault(key: string, value: string): string | undefined {
  if (!KEY.test(key))
    return `Expected a label's key of 1 to 40 lower-case letters, digits, ".", "_" or "-", got ${JSON.stringify(key)}.`;
  if (value.trim() === '' || [...value].length > MAX_VALUE || UNPRINTABLE.test(value))
    return `Expected 1 to ${MAX_VALUE} printable characters as the value of label "${key}".`;
  return undefined;
}

/**
 * Reads `key=value,key2=value2`; returns undefined for an empty text.
 * @throws RangeError with a message for users, for malformed text, more than MAX_LABELS, or a repeated key.
 */
export function readLabels(text: string): Labels | undefined {
  if (text.trim() === '') return undefined;
  const labels = new Map<string, string>();
  for (const member of text.split(',')) {
    const [key, value] = readMember(member);
    if (labels.has(key)) throw new RangeError(`Label "${key}" is given twice.`);
    if (labels.size === MAX_LABELS) throw new RangeError(`Expected at most ${MAX_LABELS} labels.`);
    labels.set(key, value);
  }
  return Object.fromEntries(labels);
}

function readMember(member: string): [key: string, value: string] {
  const equals = member.indexOf('=');
  if (equals < 0) throw new RangeError(`Expected labels as key=value, got ${JSON.stringify(member.trim())}.`);
  const [key, value] = [member.slice(0, equals).trim(), decode(member.slice(equals + 1).trim())];
  const fault = labelFault(key, value);
  if (fault !== undefined) throw new RangeError(fault);
  return [key, value];
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new RangeError(`Expected a percent-encoded value, got ${JSON.stringify(value)}.`);
  }
}

/** Writes the text that `readLabels` reads. */
export const labelsText = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${encodeURIComponent(value)}`)
    .join(',');
