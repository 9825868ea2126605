import { styleText } from 'node:util';
import type { LogLevel } from '../worker-protocol.ts';
import type { LogFilter } from './log-filter.ts';

/** Where host, worker and functions write. */
export interface HostLog {
  /** Writes an entry if its category and level pass the filter. */
  write(level: LogLevel, category: string, message: string): void;
  /** Writes a line whatever the filter says: the function list, the reason of a refused start. */
  print(line: string): void;
}

/** The colours of Core Tools; nothing is coloured where standard output takes none (NO_COLOR, FORCE_COLOR). */
const COLOURS: Partial<Record<LogLevel, 'yellow' | 'red'>> = { warning: 'yellow', error: 'red', critical: 'red' };

/** Makes a log with the console form of Core Tools: `[<instant>] text`. */
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
