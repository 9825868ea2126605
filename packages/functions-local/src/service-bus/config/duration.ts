const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** A longer duration means no limit. Azure writes "no limit" as P10675199DT2H48M5.4775807S. */
const FOREVER_MS = 10_000 * 365 * DAY_MS;

const pattern = /^P(?!$)(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/**
 * Parses an ISO 8601 duration of days, hours, minutes and seconds to milliseconds. Returns undefined if there is no limit.
 * Throws on anything else; `where` is the setting's name in the error.
 */
export function parseDuration(text: string, where: string): number | undefined {
  const match = pattern.exec(text);
  if (!match) throw new Error(`${where}: expected an ISO 8601 duration such as PT1M, got '${text}'`);
  const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
  const ms = (days ?? 0) * DAY_MS + (hours ?? 0) * HOUR_MS + (minutes ?? 0) * MINUTE_MS + (seconds ?? 0) * SECOND_MS;
  return ms > FOREVER_MS ? undefined : Math.round(ms);
}
