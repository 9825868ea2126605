import type { LogLevel } from '../worker-protocol.ts';

const ORDER: readonly LogLevel[] = ['trace', 'debug', 'information', 'warning', 'error', 'critical', 'none'];

/** Returns whether an entry is printed. */
export type LogFilter = (level: LogLevel, category: string) => boolean;

/**
 * Creates the filter from host.json's `logging.logLevel`. The longest category that is a prefix applies, otherwise `default`,
 * otherwise the defaults of Core Tools: functions from information up, the host itself from warning up unless `verbose`.
 */
export function createLogFilter(levels: Readonly<Record<string, LogLevel>>, verbose = false): LogFilter {
  const rules = Object.entries(levels)
    .filter(([category]) => category.toLowerCase() !== 'default')
    .sort(([left], [right]) => right.length - left.length);
  const fallback = Object.entries(levels).find(([category]) => category.toLowerCase() === 'default')?.[1];
  return (level, category) => {
    const rule = rules.find(([prefix]) => isPrefix(prefix, category))?.[1];
    const threshold = rule ?? fallback ?? defaultLevel(category, verbose);
    return level !== 'none' && ORDER.indexOf(level) >= ORDER.indexOf(threshold);
  };
}

function isPrefix(prefix: string, category: string): boolean {
  const lower = category.toLowerCase();
  const wanted = prefix.toLowerCase();
  return lower === wanted || lower.startsWith(`${wanted}.`);
}

function defaultLevel(category: string, verbose: boolean): LogLevel {
  return verbose || category.startsWith('Function.') ? 'information' : 'warning';
}
