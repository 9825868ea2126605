import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { nodeProblem } from '../../src/check-node.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const sources = Object.values<{ source: string }>(manifest.exports).map(({ source }) => source);

test.each(['22.15.0', '22.21.1', '24.0.0', '100.0.0'])('Node %s will do', (version) => {
  expect(nodeProblem(version)).toBeUndefined();
});

test.each(['22.14.0', '20.20.2', '18.0.0', '8.17.0'])('Node %s gets a line that says what is needed', (version) => {
  expect(nodeProblem(version)).toBe(`functions-local: expected Node.js 22.15 or newer, got ${version}.`);
});

test('the needed version is the one of package.json', () => {
  const [, needed = ''] = /^>=(\d+\.\d+)$/.exec(manifest.engines.node) ?? [];
  expect(nodeProblem(`${needed}.0`)).toBeUndefined();
  expect(nodeProblem('0.0.0')).toContain(needed);
});

test.each(sources)('%s imports the check before anything else', (source) => {
  const [first] = /^(?:import|export) .*$/m.exec(readFileSync(join(root, source), 'utf8')) ?? [];
  expect(first).toMatch(/^import '(\.\.?\/)+check-node\.ts';$/);
});

/** A file and all that it imports statically. */
function graphOf(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(/^(?:import|export) (?!type ).*?'(\.{1,2}\/[^']+)';$/gms);
  for (const [, path = ''] of imports) graphOf(join(dirname(file), path), seen);
  return seen;
}

// Static imports are linked before the check runs: one that an older Node does not have would fail first.
test.each(sources)('%s imports nothing that Node 20 does not have', (source) => {
  const files = [...graphOf(join(root, source))];
  const lacking = /^import (?!type )[^;]*(?:from 'node:sqlite'|\bglobSync\b[^;]*from 'node:fs')/m;
  expect(files.length).toBeGreaterThan(1);
  expect(files.filter((file) => lacking.test(readFileSync(file, 'utf8')))).toEqual([]);
});
