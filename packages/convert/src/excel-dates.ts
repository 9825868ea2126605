/** Converts Excel dates, which are numbers of days with a date format (ECMA-376 part 1, 18.8.30 and 18.17.4). */

/** The parts of a date that a number format shows. */
export interface DateFormat {
  date: boolean;
  time: boolean;
  /** Hours above 24, as `[h]:mm` shows them. */
  elapsed: boolean;
}

const DATE: DateFormat = { date: true, time: false, elapsed: false };
const TIME: DateFormat = { date: false, time: true, elapsed: false };

/** Built-in formats, which a workbook does not declare; 27 to 58 belong to East Asian locales. */
const BUILT_IN = new Map<number, DateFormat>([
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, DATE] as const),
  ...[18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56].map((id) => [id, TIME] as const),
  [22, { date: true, time: true, elapsed: false }],
  [46, { date: false, time: true, elapsed: true }],
]);

/** Reads a number format, from its code if the workbook contains one; undefined if it does not show a date. */
export function dateFormatOf(id: number, code: string | undefined): DateFormat | undefined {
  if (code === undefined) return BUILT_IN.get(id);
  const elapsed = /\[(h+|m+|s+)\]/i.test(code);
  const shown = code
    .replaceAll(/"[^"]*"|\\.|_.|\*./g, '')
    .replaceAll(/\[(?!(?:h+|m+|s+)\])[^\]]*\]/gi, '')
    .split(';', 1)[0] as string;
  if (/general/i.test(shown)) return undefined;
  const time = elapsed || /[hs]/i.test(shown);
  const date = !elapsed && (/[yd]/i.test(shown) || (/m/i.test(shown) && !time));
  return date || time ? { date, time, elapsed } : undefined;
}

const DAY_MS = 86_400_000;
const EPOCH_1900_MS = Date.UTC(1899, 11, 30);
const EPOCH_1904_MS = Date.UTC(1904, 0, 1);
/**
 * Excel treats 1900 as a leap year: before its day 60, which did not exist, dates are one day later than counted from the
 * epoch.
 */
const LEAP_YEAR_FAULT_DAY = 60;
/** The end of the year 9999. */
const MAX_DAY = 2_958_466;

/**
 * Returns the ISO 8601 text of a day number: `2026-03-01`, `2026-03-01T10:30:00Z` or `10:30:00`. Excel has no time zones; dates
 * with a time are written as UTC. Returns undefined for a number that is not a date, such as a negative one.
 */
export function isoOfDay(day: number, format: DateFormat, is1904: boolean): string | undefined {
  if (!(day >= 0 && day < MAX_DAY)) return undefined;
  if (!format.date && (format.elapsed || day < 1)) return clockOf(Math.round(day * DAY_MS));
  const shifted = !is1904 && day < LEAP_YEAR_FAULT_DAY ? day + 1 : day;
  const iso = new Date((is1904 ? EPOCH_1904_MS : EPOCH_1900_MS) + Math.round(shifted * DAY_MS)).toISOString();
  const isWhole = iso.endsWith('T00:00:00.000Z');
  return isWhole && !format.time ? iso.slice(0, 10) : iso.replace('.000Z', 'Z');
}

function clockOf(ms: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  const fraction = ms % 1000 === 0 ? '' : `.${String(ms % 1000).padStart(3, '0')}`;
  return `${two(Math.floor(ms / 3_600_000))}:${two(Math.floor(ms / 60_000) % 60)}:${two(Math.floor(ms / 1000) % 60)}${fraction}`;
}
