/** Formats numbers, times and names; always in English, like the rest of the page. */

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
/** Times are in UTC everywhere, as in the API, the logs and the day filters. */
const UTC = { timeZone: 'UTC' } as const;
const clock = new Intl.DateTimeFormat('en-GB', { ...UTC, hour: '2-digit', minute: '2-digit', second: '2-digit' });
const dayAndTime = new Intl.DateTimeFormat('en-GB', {
  ...{ ...UTC, day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
});
const dayOnly = new Intl.DateTimeFormat('en-GB', { ...UTC, day: 'numeric', month: 'short' });

/** 1234567 → "1,234,567". */
export const formatCount = (value: number): string => whole.format(value);

/** Items per second: 1,235, or 0.33. */
export const formatRate = (value: number): string => (value < 10 ? String(value) : formatCount(value));

/** 1234567 → "1.2M". */
export const formatCompact = (value: number): string => compact.format(value);

/** A small count that may have a fraction, such as a part of operations. */
export const formatDecimals = (value: number): string =>
  value < 100 && !Number.isInteger(value) ? value.toFixed(1) : whole.format(value);

/** Bytes, in units of a thousand. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const power = Math.min(3, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)} ${['B', 'kB', 'MB', 'GB'][power]}`;
}

/** A duration with its two most significant units: "420 ms", "3.2 s", "4 min 10 s", "2 h 5 min". */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return join(minutes, 'min', seconds % 60, 's');
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? join(hours, 'h', minutes % 60, 'min') : join(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

const join = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;

/** "14:03:22 UTC". */
export const formatClock = (iso: string | number): string => `${clock.format(new Date(iso))} UTC`;

/** "24 Sept, 14:03 UTC". */
export const formatTime = (iso: string): string => `${dayAndTime.format(new Date(iso))} UTC`;

/** "12 s ago", for a time of the server; never in the future, even if the clock of this machine is wrong. */
export const formatAgo = (iso: string, nowMs: number): string =>
  `${formatDuration(Math.max(0, nowMs - Date.parse(iso)))} ago`;

/** "24 Sept", of a date or a time, in UTC. */
export const formatDay = (iso: string): string => dayOnly.format(new Date(iso));

/** An amount of money, with as many digits as a small bill needs. US dollars unless another currency is given. */
export function formatUsd(usd: number, currency = 'USD'): string {
  const money = (digits: string) => (currency === 'USD' ? `$${digits}` : `${digits} ${currency}`);
  if (usd === 0) return money('0');
  if (usd >= 0.095) return money(usd.toFixed(2));
  if (usd < 0.000_000_1) return `< ${money('0.0000001')}`;
  return money(usd.toFixed(Math.min(7, 1 - Math.floor(Math.log10(usd)))).replace(/0+$/, ''));
}

export interface PricedBy {
  currency: string;
  /** Price classes without a verified source; amounts that use them are marked by `*`. */
  unverified: readonly string[];
}

/** An amount in the currency of the price sheet, marked if it is based on unverified prices. */
export const formatAmount = (usd: number, { currency, unverified }: PricedBy): string =>
  `${formatUsd(usd, currency)}${unverified.length > 0 ? '*' : ''}`;

/** Explains the mark of `formatAmount`; empty if no amount is marked. */
export const unverifiedText = (unverified: readonly string[]): string =>
  unverified.length === 0 ? '' : `* uses prices without a verified source: ${unverified.join(', ')}.`;

/** A fraction as a percentage. A fraction below 1 never reads as 100 %. */
export function formatPercent(fraction: number): string {
  const percent = fraction * 100;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  if (percent < 100 && percent > 99) return `${(Math.floor(percent * 10) / 10).toFixed(1)} %`;
  return `${percent.toFixed(percent < 10 && percent > 0 ? 1 : 0)} %`;
}

/** The end of a batch id. Its beginning is the time, so batches of the same moment share it. */
export const shortId = (id: string): string => `…${id.slice(-12)}`;

/** "completedWithDeadLetters" → "Completed with dead letters". */
export function formatName(camelCase: string): string {
  const words = camelCase.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** "1 batch", "2,000 batches"; the plural defaults to the word with an s. */
export const formatNumberOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** Bidirectional and other control characters, which could make a name read as another one. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text from outside (file names, labels, messages), with invisible and bidirectional characters as their code points.
 */
export const plain = (text: string): string =>
  text.replace(UNSAFE, (character) => `[U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}]`);
