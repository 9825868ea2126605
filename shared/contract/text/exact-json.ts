/**
 * JSON that keeps all digits of numbers, so that the correction of an item does not change its other values. Used by the app,
 * the command line and the dashboard.
 */

/** Functions of newer engines that the types of this release do not contain yet. */
interface SourceJson {
  parse(text: string, reviver: (key: string, value: unknown, context?: { source?: string }) => unknown): unknown;
  rawJSON?: (text: string) => unknown;
  isRawJSON?: (value: unknown) => boolean;
}
const engine: SourceJson = JSON;

/**
 * Parses JSON for a later JSON.stringify: where the engine supports it, a number that a double cannot represent keeps its
 * original text.
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

/** Whether a value of `parseExact` is a number that keeps its text. In JavaScript, such a number is an object. */
export const isExactNumber = (value: unknown): boolean => engine.isRawJSON?.(value) ?? false;
