/** JSON in which numbers keep their written form: 5.0 is not 5, and 2^53 + 1 is not 2^53. */

/** Missing in the types of Node: the source of a value for the reviver, and a value that is serialized unchanged. */
type Reviver = (key: string, value: unknown, context?: { source?: string }) => unknown;
const { rawJSON } = JSON as unknown as { rawJSON(source: string): unknown };

/** Parses JSON. `number` receives the source of each number. Throws SyntaxError. */
export function parseJson(text: string, number: (source: string) => unknown): unknown {
  const reviver: Reviver = (_key, value, context) =>
    typeof value === 'number' ? number(context?.source ?? String(value)) : value;
  return JSON.parse(text, reviver);
}

/** Parses JSON so that JSON.stringify writes each number in its original form. */
export const parseForCopy = (text: string): unknown => parseJson(text, rawJSON);
