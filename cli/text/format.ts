/** 1234567 → "1,234,567"; always in English, as the rest of the output is. */
export const formatCount = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Items per second: 1,235, or 0.33. */
export const formatRate = (value: number): string => (value < 10 ? String(value) : formatCount(value));

/** "1 chunk", "2 chunks"; `plural` where it is not the singular with an s. */
export const formatNumber = (value: number, what: string, plural = `${what}s`): string =>
  `${formatCount(value)} ${value === 1 ? what : plural}`;

const LINE_WIDTH = 120;

/** A list separated by commas, broken into lines of at most 120 characters; the lines after the first are indented. */
export function formatList(parts: readonly string[], { head = '', indent = '  ' } = {}): string[] {
  const lines: string[] = [];
  let line = head;
  for (const [index, part] of parts.entries()) {
    const piece = index === parts.length - 1 ? part : `${part},`;
    const isFirst = line === head || line === indent;
    if (!isFirst && line.length + 1 + piece.length > LINE_WIDTH) {
      lines.push(line);
      line = `${indent}${piece}`;
    } else line = isFirst ? `${line}${piece}` : `${line} ${piece}`;
  }
  return [...lines, line];
}

/** Bytes as MB (of a million), with one digit. */
export const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Bytes in the unit that shows them, MB or kB. */
export const formatSize = (bytes: number): string =>
  bytes < 100_000 ? `${(bytes / 1e3).toFixed(1)} kB` : formatMegabytes(bytes);

/** Milliseconds as seconds, with as many digits as matter. */
export const formatSeconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;

const BAR_WIDTH = 24;

/** A bar that is filled up to `fraction`, which is 0 to 1; it is full only at 1. */
export function formatBar(fraction: number): string {
  const filled = Math.floor(Math.min(1, Math.max(0, fraction)) * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
}

/** Rows in columns as wide as their widest cell; cells that are numbers or amounts stand to the right. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    });
  return rows.map((row) => `  ${row.map((cell, index) => pad(cell, widths[index] ?? 0)).join('  ')}`.trimEnd());
}

const pad = (cell: string, width: number): string =>
  /^-?[\d,.]+(\*? [A-Z]{3})?$/.test(cell) ? cell.padStart(width) : cell.padEnd(width);

/** What is known of the price sheet that an amount stands on. */
export interface PricedBy {
  /** Default USD. */
  currency?: string | undefined;
  /** Classes of prices in the amount that have no verified source: they are marked by `*`. Default none. */
  unverified?: readonly string[] | undefined;
}

/** An amount with as many digits as matter: a batch may cost less than a thousandth of a cent. */
export function formatUsd(usd: number | null, { currency = 'USD', unverified = [] }: PricedBy = {}): string {
  if (usd === null) return 'no price';
  const mark = unverified.length > 0 ? '*' : '';
  return `${usd === 0 || usd >= 0.01 ? usd.toFixed(2) : usd.toPrecision(2)}${mark} ${currency}`;
}

/** The line that says what `*` marks; nothing where every price is verified. */
export const unverifiedNote = (unverified: readonly string[]): string[] =>
  unverified.length === 0 ? [] : formatList(unverified, { head: '* uses prices without a verified source: ' });

/** A time in UTC to the second, without the letters that only machines need. */
export const formatTime = (iso: string | null): string => (iso === null ? '' : iso.slice(0, 19).replace('T', ' '));
