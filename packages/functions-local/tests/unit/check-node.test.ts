import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { nodeProblem } from '../../src/check-node.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const sources = Object.values<{ source: string }>(manifest.exports).map(({ source }) => source);

test.each(['22.15.0', '22.21.1', '24.0.0', '100.0.0'])('Node %s is accepted', (version) => {
  expect(nodeProblem(version)).toBeUndefined();
});

test.each(['22.14.0', '20.20.2', '18.0.0', '8.17.0'])('Node %s gets a message with the required version', (version) => {
  expect(nodeProblem(version)).toBe(`functions-local: expected Node.js 22.15 or newer, got ${version}.`);
});

test('the required version is the same as in package.json', () => {
  const [, needed = ''] = /^>=(\d+\.\d+)$/.exec(manifest.engines.node) ?? [];
  expect(nodeProblem(`${needed}.0`)).toBeUndefined();
  expect(nodeProblem('0.0.0')).toContain(needed);
});

test.each(sources)('%s imports the check before anything else', (source) => {
  const [first] = /^(?:import|export) .*$/m.exec(readFileSync(join(root, source), 'utf8')) ?? [];
  expect(first).toMatch(/^import '(\.\.?\/)+check-node\.ts';$/);
});

/** Returns a file and all files that it imports statically. */
function graphOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type ).*?'(\.{1,2}\/[^']+)';$/gms);
  for (const [, path = ''] of imports) graphOf(join(dirname(file), path), seen);
  return seen;
}

// Static imports are linked before the check runs. A missing export of an older Node would fail first.
test.each(sources)('%s imports nothing that is missing in Node 20', (source) => {
  const files = [...graphOf(join(root, source))];
  const lacking = /^import (?!type )[^;]*(?:from 'node:sqlite'|\bglobSync\b[^;]*from 'node:fs')/m;
  expect(files.length).toBeGreaterThan(1);
  expect(files.filter((file) => lacking.test(readFileSync(file, 'utf8')))).toEqual([]);
});
