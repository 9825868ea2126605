/** The values of an NDJSON text. Their shape is the one that the caller was promised. */
export function parseLines<T>(text: string): T[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line) => JSON.parse(line) as T);
}
