import { days } from '../../units.ts';
import { FIELD_KINDS, parseField } from './cron-field.ts';

/** Returns the first occurrence after a time (milliseconds since 1970), in the process's time zone. */
export type NextOccurrence = (afterMs: number) => number;

/** The calendar, including weekdays, repeats after 400 years. A schedule without an occurrence until then has none. */
const LONGEST_GAP_MS = days(146_097);

/**
 * Parses an NCRONTAB expression of six fields (seconds first) or five. Day of month and day of week must both match. Throws
 * if it is not valid.
 */
export function parseNcrontab(expression: string): NextOccurrence {
  const texts = expression.trim().split(/\s+/);
  if (texts.length === 5) texts.unshift('0');
  if (texts.length !== 6) throw new Error(`expected 5 or 6 fields, got ${texts.length}`);
  const fields = FIELD_KINDS.map((kind, index) => parseField(texts[index] ?? '', kind));
  const [seconds = [], minutes = [], hours = [], monthDays = [], months = [], weekdays = []] = fields;
  const times = { seconds, minutes, hours };
  const isDay = (day: Date) =>
    months.includes(day.getUTCMonth() + 1) &&
    monthDays.includes(day.getUTCDate()) &&
    weekdays.includes(day.getUTCDay());
  return (afterMs) => findNext(afterMs, times, isDay);
}

interface Times {
  seconds: number[];
  minutes: number[];
  hours: number[];
}

// Calendar arithmetic uses "wall" times: local clock times written as if they were UTC, in which every day has 24 hours. Only
// the result is converted to a real time.
function findNext(afterMs: number, times: Times, isDay: (day: Date) => boolean): number {
  let wall = toWall(afterMs);
  const limit = wall + LONGEST_GAP_MS;
  while (wall < limit) {
    const next = nextWall(wall, times, isDay, limit);
    if (next === undefined) break;
    const instant = fromWall(next);
    // In the hour that is repeated when clocks change, a wall time can represent a time in the past.
    if (instant > afterMs) return instant;
    wall = next;
  }
  throw new Error('the schedule never fires');
}

function nextWall(wall: number, times: Times, isDay: (day: Date) => boolean, limit: number): number | undefined {
  const day = new Date(wall);
  day.setUTCHours(0, 0, 0, 0);
  const seconds = Math.floor((wall - day.getTime()) / 1000) + 1;
  if (isDay(day)) {
    const found = nextTime(seconds, times);
    if (found !== undefined) return day.getTime() + found * 1000;
  }
  do day.setUTCDate(day.getUTCDate() + 1);
  while (!isDay(day) && day.getTime() < limit);
  const first = nextTime(0, times);
  return day.getTime() < limit && first !== undefined ? day.getTime() + first * 1000 : undefined;
}

/** Returns the first allowed second of a day that is not before `from`. */
function nextTime(from: number, { hours, minutes, seconds }: Times): number | undefined {
  for (const hour of hours) {
    if ((hour + 1) * 3600 <= from) continue;
    for (const minute of minutes) {
      const start = hour * 3600 + minute * 60;
      const second = start + 60 <= from ? undefined : seconds.find((value) => start + value >= from);
      if (second !== undefined) return start + second;
    }
  }
  return undefined;
}

function toWall(instantMs: number): number {
  const at = new Date(instantMs);
  return Date.UTC(at.getFullYear(), at.getMonth(), at.getDate(), at.getHours(), at.getMinutes(), at.getSeconds());
}

function fromWall(wall: number): number {
  const at = new Date(wall);
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()];
  return new Date(year, month, day, at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()).getTime();
}
