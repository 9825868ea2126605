import type { LogLevel } from '../worker-protocol.ts';
import type { LogFilter } from './log-filter.ts';

/** Where host, worker and functions write. */
export interface HostLog {
  /** Writes an entry if its category and level pass the filter. */
  write(level: LogLevel, category: string, message: string): void;
  /** Writes a line whatever the filter says: the function list, the reason of a refused start. */
  print(line: string): void;
}

/** Makes a log with the console form of Core Tools: `[<instant>] text`. */
export function createHostLog(print: (line: string) => void, filter: LogFilter): HostLog {
  return {
    print,
    write: (level, category, message) => {
      if (filter(level, category)) print(`[${new Date().toISOString()}] ${message}`);
    },
  };
}
