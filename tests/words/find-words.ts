import { PATTERNS } from './patterns.ts';

/** A place in a text; line and column count from 1. */
export interface Found {
  line: number;
  column: number;
  text: string;
  instead: string;
}

/** All places of a text that match a pattern, in order of lines. */
export function findWords(text: string): Found[] {
  return text.split('\n').flatMap((content, index) =>
    PATTERNS.flatMap(({ regex, instead }) =>
      [...content.matchAll(regex)].map((match) => ({
        line: index + 1,
        column: match.index + 1,
        text: match[0],
        instead,
      })),
    ),
  );
}
