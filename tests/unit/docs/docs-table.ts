import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../infra/bicep.ts';

/** Returns the rows of the table below a heading of a document: cells as text, without code marks. */
export function tableBelow(file: string, heading: string): string[][] {
  const lines = readFileSync(join(ROOT, file), 'utf8').split('\n');
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);
  if (start < 0) throw new Error(`Expected ${file} to have a heading "${heading}".`);
  const end = lines.findIndex((line, index) => index > start && /^#+ /.test(line));
  const rows = lines.slice(start + 1, end < 0 ? undefined : end).filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

/** Whether a test file contains a string literal with this text. */
export function hasTitle(file: string, title: string): boolean {
  const path = join(ROOT, file);
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return ["'", '"', '`'].some((quote) => text.includes(`${quote}${title}${quote}`));
}
