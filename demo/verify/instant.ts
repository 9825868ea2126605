const SHAPE = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|[+-](\d\d):(\d\d))$/;

/** Whether a value is an ISO 8601 instant of an existing day, with seconds and an offset. */
export function isInstant(value: unknown): value is string {
  const parts = typeof value === 'string' ? SHAPE.exec(value) : null;
  if (!parts) return false;
  const [year, month, day, hour, minute, second, offsetHour, offsetMinute] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  const instant = new Date(0);
  instant.setUTCFullYear(year ?? 0, (month ?? 0) - 1, day);
  // A day that does not exist becomes one of the next month.
  const exists = instant.getUTCMonth() + 1 === month && instant.getUTCDate() === day;
  const below = (part: number | undefined, limit: number): boolean => part !== undefined && part < limit;
  return (
    exists &&
    below(hour, 24) &&
    below(minute, 60) &&
    below(second, 60) &&
    below(offsetHour, 24) &&
    below(offsetMinute, 60)
  );
}
