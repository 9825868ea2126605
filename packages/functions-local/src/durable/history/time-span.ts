const pattern = /^(?:(\d+)\.)?(\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,7}))?)?$/;

/** Reads a .NET TimeSpan text `[d.]hh:mm[:ss[.fffffff]]` as milliseconds; undefined when it is none. */
export function readTimeSpan(text: string): number | undefined {
  const match = pattern.exec(text);
  if (!match) return undefined;
  const [days, hours, minutes, seconds] = match.slice(1, 5).map((part) => Number(part ?? 0));
  // .NET reads "24:00:00" as 24 days; nobody means that, so it is refused.
  if (days === undefined || hours === undefined || minutes === undefined || seconds === undefined) return undefined;
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const fraction = Number(`0.${match[5] ?? '0'}`);
  return (((days * 24 + hours) * 60 + minutes) * 60 + seconds + fraction) * 1000;
}
