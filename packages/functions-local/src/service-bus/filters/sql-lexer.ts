import { invalidArgument } from '../errors.ts';

/** A token of a SQL filter expression. `at` is its offset, for error messages. */
export interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'symbol' | 'end';
  readonly text: string;
  readonly at: number;
}

type Reader = { kind: Token['kind']; pattern: RegExp; read: (match: string) => string };

const asIs = (match: string): string => match;
const unquoted =
  (quote: string) =>
  (match: string): string =>
    match.slice(1, -1).replaceAll(quote + quote, quote);

const readers: readonly Reader[] = [
  { kind: 'number', pattern: /(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/iy, read: asIs },
  { kind: 'word', pattern: /[\p{L}_$][\p{L}\p{N}_$]*/uy, read: asIs },
  { kind: 'quoted', pattern: /\[(?:[^\]]|\]\])+\]/y, read: unquoted(']') },
  { kind: 'quoted', pattern: /"(?:[^"]|"")+"/y, read: unquoted('"') },
  { kind: 'string', pattern: /'(?:[^']|'')*'/y, read: unquoted("'") },
  { kind: 'symbol', pattern: /<=|>=|<>|!=|[=<>(),.+\-*/%]/y, read: asIs },
];

function readToken(text: string, at: number): { token: Token; next: number } {
  for (const { kind, pattern, read } of readers) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match) return { token: { kind, text: read(match[0]), at }, next: pattern.lastIndex };
  }
  throw invalidArgument(`SQL filter: unexpected '${text.slice(at, at + 10)}' at offset ${at} of: ${text}`);
}

/** Splits a SQL filter expression into tokens. The last one is of kind `end`. Throws on a character that starts no token. */
export function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at += text.slice(at).search(/\S|$/);
    if (at >= text.length) return [...tokens, { kind: 'end', text: 'end of expression', at }];
    const { token, next } = readToken(text, at);
    tokens.push(token);
    at = next;
  }
}
