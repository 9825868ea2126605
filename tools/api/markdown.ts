import type { Row } from './fields.ts';

/** Formats a table with a column of code and a column of text. Empty without rows. */
export function table(head: readonly [string, string], rows: readonly Row[]): string[] {
  if (rows.length === 0) return [];
  const lines = rows.map(([name, text]) => `| \`${cell(name)}\` | ${cell(text)} |`);
  return [`| ${head[0]} | ${head[1]} |`, '| --- | --- |', ...lines, ''];
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
