/** Formats 1234567 as "1,234,567", always in English like the rest of the output. */
export const formatCount = (value: number): string => Math.round(value).toLocaleString('en-US');

/** Formats items per second: 1,235, or 0.33. */
export const formatRate = (value: number): string => (value < 10 ? String(value) : formatCount(value));

/** Formats "1 chunk", "2 chunks"; `plural` is for nouns with an irregular plural. */
export const formatNumber = (value: number, what: string, plural = `${what}s`): string =>
  `${formatCount(value)} ${value === 1 ? what : plural}`;

const LINE_WIDTH = 120;

/** Formats a list separated by commas, in lines of at most 120 characters; the lines after the first are indented. */
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

/** Formats bytes as MB (a million bytes), with one decimal. */
export const formatMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Formats bytes as MB, or as kB if there are less than 100,000. */
export const formatSize = (bytes: number): string =>
  bytes < 100_000 ? `${(bytes / 1e3).toFixed(1)} kB` : formatMegabytes(bytes);

/** Formats milliseconds as seconds, with two decimals below 10 s, otherwise one. */
export const formatSeconds = (ms: number): string => `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;

const BAR_WIDTH = 24;

/** Formats a bar that is filled up to `fraction` (0 to 1); it is full only at 1. */
export function formatBar(fraction: number): string {
  const filled = Math.floor(Math.min(1, Math.max(0, fraction)) * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}]`;
}

/** Formats rows as columns; numbers and amounts are right-aligned. */
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

export interface PricedBy {
  currency?: string | undefined;
  /** Price classes of the amount that have no verified source, marked by `*`. Defaults to none. */
  unverified?: readonly string[] | undefined;
}

/**
 * Formats an amount with two decimals, below 0.01 with two significant digits: a batch may cost less than a thousandth of a
 * cent.
 */
export function formatUsd(usd: number | null, { currency = 'USD', unverified = [] }: PricedBy = {}): string {
  if (usd === null) return 'no price';
  const mark = unverified.length > 0 ? '*' : '';
  return `${usd === 0 || usd >= 0.01 ? usd.toFixed(2) : usd.toPrecision(2)}${mark} ${currency}`;
}

/** Explains the mark `*`; empty if every price is verified. */
export const unverifiedNote = (unverified: readonly string[]): string[] =>
  unverified.length === 0 ? [] : formatList(unverified, { head: '* uses prices without a verified source: ' });

/** Formats a time in UTC as `2026-09-24 10:30:00`; null as an empty text. */
export const formatTime = (iso: string | null): string => (iso === null ? '' : iso.slice(0, 19).replace('T', ' '));
