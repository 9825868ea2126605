const WORD = /^[\w$-]+$/;

/** Formats a path, such as `lines[3].qty` or `totals["a b"]`. */
export const pathText = (keys: readonly PropertyKey[]): string =>
  keys.map((key, i) => (typeof key === 'number' ? `[${key}]` : segment(String(key), i === 0))).join('');

function segment(key: string, isFirst: boolean): string {
  if (!WORD.test(key)) return `[${JSON.stringify(key)}]`;
  return isFirst ? key : `.${key}`;
}
