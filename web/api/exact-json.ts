/** JSON whose numbers keep all their digits: an item that is corrected must not be changed elsewhere. */

/** What newer engines offer, and the types of this release do not know yet. */
interface SourceJson {
  parse(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  rawJSON?: (text: string) => unknown;
}
const engine: SourceJson = JSON;

/** Parses JSON; a number that a double cannot hold stays as it was written, where the browser can do that. */
export function parseExact(text: string): unknown {
  const { rawJSON } = engine;
  if (rawJSON === undefined) return JSON.parse(text);
  return engine.parse(text, (_key, value, context) =>
    typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
      ? rawJSON(context.source)
      : value,
  );
}
