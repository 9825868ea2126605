/** docs/decisions: every page has the same form, and the index lists all pages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const FOLDER = join(import.meta.dirname, '../../../docs/decisions');
const pages = readdirSync(FOLDER).filter((name) => name !== 'README.md');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

describe.each(pages)('%s', (name) => {
  const text = read(name);

  test('has its number at the start of its title, and the four sections', () => {
    expect(text).toMatch(new RegExp(`^# ${name.slice(0, 4)}\\. `));
    expect(text.match(/^## .*$/gm)).toEqual(['## Context', '## Decision', '## Consequences', '## Rejected']);
  });

  test('is not longer than one page', () => {
    expect(text.split('\n').length).toBeLessThanOrEqual(60);
  });
});

test('the index lists every page by its title', () => {
  const rows = pages.map((name) => {
    const [, number, title] = /^# (\d{4})\. (.*)$/m.exec(read(name)) ?? [];
    return `| ${number} | [${title}](${name}) |`;
  });

  expect(read('README.md').match(/^\| \d.*$/gm)).toEqual(rows);
});
