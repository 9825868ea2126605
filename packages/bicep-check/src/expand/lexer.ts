/** Splits Bicep into tokens. Source: Microsoft Learn, azure-resource-manager/bicep/file and bicep/data-types. */

/** A part of a text: literal characters, or the tokens of an interpolation. */
export type TextPart = string | Token[];

export interface Token {
  kind: 'name' | 'number' | 'text' | 'mark' | 'newline' | 'end';
  /** Source text of a name, number or mark; empty for a text. */
  text: string;
  /** The parts of a text. */
  parts: TextPart[];
  line: number;
}

/** An error in a Bicep file, with its place. */
export class BicepError extends Error {
  constructor(file: string, line: number, message: string) {
    super(`${file}:${line}: ${message}`);
    this.name = 'BicepError';
  }
}

const MARKS = /^(?:\.\.\.|=>|==|!=|=~|!~|>=|<=|&&|\|\||\?\?|\.\?|::|[{}[\]().,:;=!?+\-*/%<>|@])/;
const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t' };

/**
 * Splits a text into tokens. Line breaks are tokens, because they end declarations, items and properties.
 * @param file Name for messages.
 * @throws BicepError for a character that begins no token, or for an unterminated text.
 */
export function tokenize(file: string, source: string): Token[] {
  const state = { at: 0, line: 1 };
  const tokens = readTokens(state, false);
  return [...tokens, token('newline'), token('end')];

  function token(kind: Token['kind'], text = '', parts: TextPart[] = []): Token {
    return { kind, text, parts, line: state.line };
  }

  function take(pattern: RegExp): string | undefined {
    const found = pattern.exec(source.slice(state.at, state.at + 4000))?.[0];
    if (found !== undefined) state.at += found.length;
    return found;
  }

  function readTokens(position: typeof state, inText: boolean): Token[] {
    const found: Token[] = [];
    let depth = 0;
    while (position.at < source.length) {
      if (take(/^[ \t\r]+/) !== undefined || skipComment()) continue;
      const { at } = position;
      if (inText && depth === 0 && source[at] === '}') return found;
      if (source[at] === '{') depth += 1;
      if (source[at] === '}') depth -= 1;
      found.push(readToken());
    }
    return found;
  }

  function skipComment(): boolean {
    const rest = source.slice(state.at, state.at + 2);
    if (rest !== '//' && rest !== '/*' && !/^#\w/.test(rest)) return false;
    const end = rest === '/*' ? source.indexOf('*/', state.at) + 2 : source.indexOf('\n', state.at);
    const stop = end < 2 ? source.length : end;
    state.line += source.slice(state.at, stop).split('\n').length - 1;
    state.at = stop;
    return true;
  }

  function readToken(): Token {
    if (source[state.at] === '\n') {
      const newline = token('newline');
      state.at += 1;
      state.line += 1;
      return newline;
    }
    if (source.startsWith("'''", state.at)) return readBlock();
    if (source[state.at] === "'") return readText();
    for (const [kind, pattern] of [
      ['name', /^[A-Za-z_]\w*/],
      ['number', /^\d+/],
      ['mark', MARKS],
    ] as const) {
      const text = take(pattern);
      if (text !== undefined) return token(kind, text);
    }
    throw new BicepError(file, state.line, `unexpected "${source[state.at]}"`);
  }

  /** Reads a text between triple quotes: literal, except for a line break at its start. */
  function readBlock(): Token {
    const end = source.indexOf("'''", state.at + 3);
    if (end < 0) throw new BicepError(file, state.line, 'a text without end');
    const text = source.slice(state.at + 3, end);
    const block = token('text', '', [text.replace(/^\r?\n/, '')]);
    state.line += text.split('\n').length - 1;
    state.at = end + 3;
    return block;
  }

  function readText(): Token {
    const parts: TextPart[] = [];
    let text = '';
    state.at += 1;
    while (source[state.at] !== "'") {
      const char = source[state.at];
      if (char === undefined || char === '\n') throw new BicepError(file, state.line, 'a text without end');
      if (source.startsWith('${', state.at)) {
        state.at += 2;
        parts.push(text, [...readTokens(state, true), token('end')]);
        text = '';
        state.at += 1;
      } else if (char === '\\') {
        const code = take(/^\\u\{[0-9A-Fa-f]+\}/);
        text += code === undefined ? (ESCAPES[source[state.at + 1] ?? ''] ?? source[state.at + 1]) : unicode(code);
        if (code === undefined) state.at += 2;
      } else {
        text += char;
        state.at += 1;
      }
    }
    state.at += 1;
    return token('text', '', text === '' && parts.length > 0 ? parts : [...parts, text]);
  }
}

const unicode = (code: string): string => String.fromCodePoint(Number.parseInt(code.slice(3, -1), 16));
