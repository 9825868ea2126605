/** JSON whose numbers keep the form in which they are written: 5.0 is not 5, and 2^53 + 1 is not 2^53. */

/** Newer than its types: the source of a value for the reviver, and a value that is written as it is. */
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;
const { rawJSON } = JSON as unknown as { rawJSON(source: string): unknown };

/** Parses JSON; `number` is given the source of each number. Throws SyntaxError. */
export function parseJson(text: string, number: (source: string) => unknown): unknown {
  const reviver: Reviver = (_key, value, context) =>
    typeof value === 'number' ? number(context?.source ?? String(value)) : value;
  return JSON.parse(text, reviver);
}

/** Parses JSON for JSON.stringify to write again, with each number as it came. */
export const parseForCopy = (text: string): unknown => parseJson(text, rawJSON);
