import { days, hours, minutes, seconds } from './units.ts';

const PATTERN = /^(-)?(?:(\d+)\.)?(\d+):(\d+)(?::(\d+)(?:\.(\d{1,7}))?)?$/;

/**
 * Parses a .NET TimeSpan `[-][d.]hh:mm[:ss[.fffffff]]` (a number without colons is days) to milliseconds. Returns undefined
 * if it is not valid. As in .NET, and as the reference of the timer trigger documents, an hour field of 24 or more changes
 * the fields to days, hours and minutes: `24:00:00` is 24 days.
 */
export function parseTimeSpan(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^-?\d+$/.test(trimmed)) return Number(trimmed) * days(1);
  const match = PATTERN.exec(trimmed);
  if (!match) return undefined;
  const [, sign, dayPart, first = '0', second = '0', third, fraction] = match;
  const asDays = dayPart === undefined && third !== undefined && fraction === undefined && Number(first) >= 24;
  const fields = asDays
    ? { days: first, hours: second, minutes: third, seconds: '0' }
    : { days: dayPart ?? '0', hours: first, minutes: second, seconds: third ?? '0' };
  const total = toMilliseconds(fields, fraction);
  return total === undefined || !sign ? total : -total;
}

interface Fields {
  days: string;
  hours: string;
  minutes: string;
  seconds: string;
}

function toMilliseconds(fields: Fields, fraction = ''): number | undefined {
  const hour = Number(fields.hours);
  const minute = Number(fields.minutes);
  const second = Number(fields.seconds);
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return (
    days(Number(fields.days)) + hours(hour) + minutes(minute) + seconds(second) + seconds(Number(`0.${fraction}0`))
  );
}

/** Formats a duration as .NET does: `00:00:02`, `1.00:00:00`, `00:00:00.5000000`. */
export function formatTimeSpan(milliseconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const wholeDays = Math.floor(milliseconds / days(1));
  const clock = `${two((milliseconds / hours(1)) % 24)}:${two((milliseconds / minutes(1)) % 60)}:${two((milliseconds / 1000) % 60)}`;
  const rest = Math.round(milliseconds % 1000);
  return `${wholeDays > 0 ? `${wholeDays}.` : ''}${clock}${rest > 0 ? `.${String(rest).padStart(3, '0')}0000` : ''}`;
}
