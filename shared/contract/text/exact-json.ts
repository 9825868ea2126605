/**
 * JSON whose numbers keep all their digits: an item that is corrected must not be changed elsewhere. The app, the command
 * line and the dashboard use it.
 */

/** What newer engines offer, and the types of this release do not know yet. */
interface SourceJson {
  parse(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  rawJSON?: (text: string) => unknown;
  isRawJSON?: (value: unknown) => boolean;
}
const engine: SourceJson = JSON;

/**
 * Parses JSON for JSON.stringify to write again: a number that a double cannot hold stays as it was written, where the
 * engine can do that.
 * @throws SyntaxError.
 */
export function parseExact(text: string): unknown {
  const { rawJSON } = engine;
  if (rawJSON === undefined) return JSON.parse(text);
  return engine.parse(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
      ? rawJSON(context.source)
      : value,
  );
}

/** Whether a value of `parseExact` is a number that stays as it was written: an object, for JavaScript. */
export const isExactNumber = (value: unknown): boolean => engine.isRawJSON?.(value) ?? false;
