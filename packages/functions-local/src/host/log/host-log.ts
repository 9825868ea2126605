import { styleText } from 'node:util';
import type { LogLevel } from '../worker-protocol.ts';
import type { LogFilter } from './log-filter.ts';

/** The log of host, worker and functions. */
export interface HostLog {
  /** Writes an entry if its category and level pass the filter. */
  write(level: LogLevel, category: string, message: string): void;
  /** Writes a line without filtering, for example the function list, or the reason of a refused start. */
  print(line: string): void;
}

/** The colours of Core Tools. Nothing is coloured if standard output does not support it (NO_COLOR, FORCE_COLOR). */
const COLOURS: Partial<Record<LogLevel, 'yellow' | 'red'>> = { warning: 'yellow', error: 'red', critical: 'red' };

/** Creates a log with the console format of Core Tools: `[<time>] text`. */
export function createHostLog(print: (line: string) => void, filter: LogFilter): HostLog {
  return {
    print,
    write: (level, category, message) => {
      if (!filter(level, category)) return;
      const line = `[${new Date().toISOString()}] ${message}`;
      const colour = COLOURS[level];
      print(colour ? styleText(colour, line) : line);
    },
  };
}
