/** The public API: the reports in docs/api-report are those of the built declarations. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entriesOf, FOLDER } from '../../tools/api-report/entries.ts';
import { missingTypes, reportsOf } from '../../tools/api-report/reports.ts';

const ROOT = join(import.meta.dirname, '../..');

const WHAT_TO_DO = `The public API differs from ${FOLDER}. If the change is intended: run "npm run api-report", commit its
pages, and describe the change in CHANGELOG.md.`;

it('is what docs/api-report says', () => {
  const reports = reportsOf(ROOT);

  expect(readdirSync(join(ROOT, FOLDER)), WHAT_TO_DO).toEqual(Object.keys(reports).toSorted());
  for (const [name, text] of Object.entries(reports))
    expect(readFileSync(join(ROOT, FOLDER, name), 'utf8'), `${name}: ${WHAT_TO_DO}`).toBe(text);
});

describe('missingTypes', () => {
  const [first, second] = entriesOf(ROOT);
  const report = 'export interface Public {}\ninterface Hidden {}\nexport function run(): void;\n';
  const missing = (mentioned: string[]): string[] =>
    first && second
      ? missingTypes(
          new Map([
            [first, { report, mentioned: [] }],
            [second, { report: '', mentioned }],
          ]),
        )
      : ['no entries'];

  it('accepts types that another entry exports', () => {
    expect(missing(['Public', 'run'])).toEqual([]);
  });

  it('reports types that no entry exports', () => {
    const message = 'sluice/thread mentions Hidden, which no entry exports: export it, or write the type out.';
    expect(missing(['Hidden'])).toEqual([message]);
  });
});
