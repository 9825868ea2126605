import { parseTimeSpan } from '../../time-span.ts';
import { HostStartError } from '../errors.ts';
import { isRecord, valueAt } from './json.ts';

/** Reads typed values from a JSON object and collects the problems, so that all are reported together. */
export interface SectionReader {
  raw(path: string[]): unknown;
  text(path: string[], fallback: string): string;
  /** Reads a number that is not negative. */
  integer(path: string[], fallback: number): number;
  boolean(path: string[], fallback: boolean): boolean;
  /** Reads a TimeSpan as milliseconds. */
  timeSpan(path: string[], fallbackMs: number): number;
  /** Returns the paths of keys that were not read, in the file's spelling. A section without any read key is one path. */
  unread(): string[];
  problem(where: string, expected: string, came: unknown): void;
  throwProblems(file: string): void;
}

/** Creates a reader for parsed JSON. */
export function createReader(json: Record<string, unknown>): SectionReader {
  const problems: string[] = [];
  const paths = new Set<string>();
  const take = (path: string[]): unknown => {
    paths.add(path.join('.').toLowerCase());
    return valueAt(json, ...path);
  };
  const problem = (where: string, expected: string, came: unknown) => {
    problems.push(`${where}: expected ${expected}, got ${JSON.stringify(came)}`);
  };
  const read = <T>(path: string[], fallback: T, expected: string, convert: (value: unknown) => T | undefined): T => {
    const value = take(path);
    if (value === undefined || value === null) return fallback;
    const converted = convert(value);
    if (converted === undefined) problem(path.join('.'), expected, value);
    return converted ?? fallback;
  };
  return {
    raw: take,
    unread: () => findUnread(json, [...paths]),
    text: (path, fallback) =>
      read(path, fallback, 'a string', (value) => (typeof value === 'string' ? value : undefined)),
    integer: (path, fallback) => read(path, fallback, 'an integer of at least 0', toInteger),
    boolean: (path, fallback) =>
      read(path, fallback, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined)),
    timeSpan: (path, fallback) =>
      read(path, fallback, 'a TimeSpan such as "00:05:00"', (value) =>
        typeof value === 'string' ? parseTimeSpan(value) : undefined,
      ),
    problem,
    throwProblems: (file) => {
      if (problems.length > 0) throw new HostStartError(`${file}: ${problems.join('; ')}.`);
    },
  };
}

function findUnread(section: Record<string, unknown>, read: readonly string[], prefix = ''): string[] {
  return Object.entries(section).flatMap(([name, value]) => {
    const path = prefix + name;
    const key = path.toLowerCase();
    if (value === null || read.includes(key)) return [];
    const isPartlyRead = read.some((other) => other.startsWith(`${key}.`));
    return isPartlyRead && isRecord(value) ? findUnread(value, read, `${path}.`) : [path];
  });
}

function toInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}
