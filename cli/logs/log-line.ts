import { formatTime } from '../text/format.ts';
import type { Column } from '../text/listing.ts';

/** One line of the log of the app. */
export interface LogLine {
  /** ISO 8601, in UTC. */
  time: string;
  /** Which instance of the app wrote it. */
  instance: string;
  /** Absent in the log of the local stack, which does not keep it. */
  level?: string;
  /** Of a line of the pipeline (docs/observability.md); null for a line of the host. */
  event: string | null;
  /** The line as it was written. */
  message: string;
}

/** The lines of a batch, oldest first, and where they were found. */
export interface BatchLog {
  source: string;
  lines: LogLine[];
  /** Whether there are older ones, which were left out. */
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

/** Columns of the list of lines. */
export const LOG_COLUMNS: readonly Column<LogLine>[] = [
  { field: 'time', value: ({ time }) => time },
  { field: 'instance', value: ({ instance }) => instance },
  { field: 'level', value: ({ level }) => level },
  { field: 'event', value: ({ event }) => event },
  { field: 'message', value: ({ message }) => message },
];

/** A line for people: when, where, what, and the fields that are not the same in every line of the batch. */
export function describeLogLine({ time, instance, level, event, message }: LogLine): string {
  const { event: _event, batch: _batch, traceId: _traceId, ...fields } = fieldsOf(message);
  const said = event === null ? message : [event, ...Object.entries(fields).map(fieldText)].join('  ');
  return [`${formatTime(time)}${time.slice(19, 23)}`, instance, ...(level === undefined ? [] : [level]), said].join(
    '  ',
  );
}

const fieldText = ([name, value]: [string, unknown]): string =>
  `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`;
