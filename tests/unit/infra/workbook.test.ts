import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tableBelow } from '../docs/docs-table.ts';
import { ROOT } from './bicep.ts';
import { sourcesIn } from './code.ts';

const DOC = 'docs/observability.md';

interface Query {
  name: string;
  content: { query?: string };
}

const { items } = JSON.parse(readFileSync(join(ROOT, 'infra/workbook.json'), 'utf8')) as { items: Query[] };
const queries = items.flatMap(({ content }) => content.query ?? []).join('\n');
const code = sourcesIn('functions', 'shared')
  .map(({ text }) => text)
  .join('\n');
const all = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].flatMap(([, name]) => name ?? [])),
];

const spans = all(code, /withSpan\(\s*'([^']+)'/g);
const metrics = all(code, /(?:counter|seconds|gauge|createObservableCounter)\(\s*'([^']+)'/g);
const events = all(code, /\b(?:log\.(?:debug|info|warn|error)\(|repaired\([^)]*event:)\s*'([^']+)'/g);

describe('the workbook', () => {
  it('queries only metrics, spans and events of the code', () => {
    const named = all(queries, /Name == "([^"]+)"/g);
    expect(named.filter((name) => !metrics.includes(name) && !spans.includes(name))).toEqual([]);
    const lines = all(queries, /\.event\) == "([^"]+)"/g);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.filter((event) => !events.includes(event))).toEqual([]);
  });

  it('gives each part a unique name', () => {
    expect(new Set(items.map(({ name }) => name)).size).toBe(items.length);
  });
});

describe('docs/observability.md', () => {
  const firsts = (heading: string): string[] => tableBelow(DOC, heading).map(([name = '']) => name);

  it('lists every span', () => expect(firsts('Spans').sort()).toEqual(spans.sort()));
  it('lists every metric', () => expect(firsts('Metrics').sort()).toEqual(metrics.sort()));
  it('lists every event of the log', () => expect(firsts('Log lines').sort()).toEqual(events.sort()));
});
