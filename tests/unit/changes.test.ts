import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { apply, CHANGES, editedFiles, filesOf } from '../changes/changes.ts';

const CONTRIBUTING = readFileSync(new URL('../../CONTRIBUTING.md', import.meta.url), 'utf8');

describe.each(CHANGES)('$name', (change) => {
  it('still applies, and has a test', () => {
    expect(() => apply(change, { check: true })).not.toThrow();
    expect(filesOf(change).some((file) => file.endsWith('.test.ts'))).toBe(true);
  });

  it('edits at most as many files as it may, which CONTRIBUTING.md states', () => {
    const files = editedFiles(change);
    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThanOrEqual(change.maxFiles);
    const row = `| ${change.name} | ${files.map((file) => `\`${file}\``).join(', ')} |`;
    expect(CONTRIBUTING).toContain(row);
  });
});
