import { formatTime } from '../text/format.ts';
import type { Column } from '../text/listing.ts';

export interface LogLine {
  /** ISO 8601, in UTC. */
  time: string;
  instance: string;
  /** Absent in the log of a local stack, which does not contain it. */
  level?: string;
  /** The event of a line of the pipeline (docs/observability.md); null for a line of the host. */
  event: string | null;
  /** The line as it was written. */
  message: string;
}

/** The lines about a batch, oldest first, and their source. */
export interface BatchLog {
  source: string;
  lines: LogLine[];
  /** Whether older lines were omitted. */
  isCut: boolean;
}

/** Adds the event to a line: the app writes JSON with an event, the host writes plain lines. */
export function logLine(line: Omit<LogLine, 'event'>): LogLine {
  const { event } = fieldsOf(line.message);
  return { ...line, event: typeof event === 'string' ? event : null };
}

function fieldsOf(message: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(message);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

export const LOG_COLUMNS: readonly Column<LogLine>[] = [
  { field: 'time' },
  { field: 'instance' },
  { field: 'level' },
  { field: 'event' },
  { field: 'message' },
];

/** Formats a line for people: time, instance, event, and the fields that differ between the lines of a batch. */
export function describeLogLine({ time, instance, level, event, message }: LogLine): string {
  const { event: _event, batch: _batch, traceId: _traceId, ...fields } = fieldsOf(message);
  const said = event === null ? message : [event, ...Object.entries(fields).map(fieldText)].join('  ');
  return [`${formatTime(time)}${time.slice(19, 23)}`, instance, ...(level === undefined ? [] : [level]), said].join(
    '  ',
  );
}

const fieldText = ([name, value]: [string, unknown]): string =>
  `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
