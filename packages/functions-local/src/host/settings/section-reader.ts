import { parseTimeSpan } from '../../time-span.ts';
import { HostStartError } from '../errors.ts';
import { isRecord, valueAt } from './json.ts';

/** Reads typed values from a JSON object and collects the problems, so that all are reported at once. */
export interface SectionReader {
  raw(path: string[]): unknown;
  text(path: string[], fallback: string): string;
  /** Not negative. */
  integer(path: string[], fallback: number): number;
  boolean(path: string[], fallback: boolean): boolean;
  /** A TimeSpan text, as milliseconds. */
  timeSpan(path: string[], fallbackMs: number): number;
  /** The paths of keys that nothing has read so far, as the file spells them; a section of which nothing was read is one. */
  unread(): string[];
  problem(where: string, expected: string, came: unknown): void;
  throwProblems(file: string): void;
}

/** Makes a reader over parsed JSON. */
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
    integer: (path, fallback) => read(path, fallback, 'an integer of 0 or more', toInteger),
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
