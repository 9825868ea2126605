import { createHash } from 'node:crypto';

/**
 * Returns a digest by which the reports of two contenders can be compared; the order of keys inside a value is ignored.
 */
export function reportDigest(lines: readonly string[]): string {
  const hash = createHash('sha256');
  const texts = lines.filter((line) => line !== '').map((line) => JSON.stringify(sorted(JSON.parse(line))));
  for (const text of texts.sort()) hash.update(`${text}\n`);
  return hash.digest('hex');
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([k, v]) => [k, sorted(v)]),
  );
}
