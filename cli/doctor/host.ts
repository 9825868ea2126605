import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type App, type Finding, parseJson } from './app.ts';

const FILE = 'host.json';
/** What the pipeline relies on. Logs are a matter of the app. */
const COMPARED = ['version', 'extensionBundle', 'functionTimeout', 'extensions'];
/** The pipeline reads it from host.json: an app with long items may change it. */
const MAY_DIFFER = ['functionTimeout'];

/** Compares host.json with that of the package, whose values the pipeline relies on. */
export function checkHost({ read, packageFolder }: App): Finding[] {
  const text = read(FILE);
  const fix = `copy ${FILE} of the package: node_modules/sluice/${FILE}`;
  if (text === undefined) return [{ file: FILE, key: '', expected: 'the file', found: 'nothing', fix }];
  const own = parseJson(FILE, text);
  const reference = JSON.parse(readFileSync(join(packageFolder, FILE), 'utf8')) as Record<string, unknown>;
  return COMPARED.flatMap((key) => leavesOf(reference[key], [key])).flatMap(({ path, value }) => {
    const found = path.reduce<unknown>((tree, key) => (tree as Record<string, unknown> | undefined)?.[key], own);
    const key = path.join('.');
    if (isDeepStrictEqual(found, value) || (found !== undefined && MAY_DIFFER.includes(key))) return [];
    const expected = JSON.stringify(value);
    return [{ file: FILE, key, expected, found: JSON.stringify(found) ?? 'nothing', fix: `set it to ${expected}` }];
  });
}

function leavesOf(value: unknown, path: readonly string[]): { path: readonly string[]; value: unknown }[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, [...path, key]));
}
