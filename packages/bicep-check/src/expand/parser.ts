/**
 * Parses Bicep into a tree that can be evaluated. tree-sitter-bicep was tried and rejected: it gives `.` a lower precedence than
 * operators, so that `a == b.c` is parsed as `(a == b).c`. Of 677 errors injected into infra/ by removing a mark or keyword, it
 * found 568 and this parser 574; most of the others result in valid text.
 */
import { BicepError, type Token, tokenize } from './lexer.ts';

interface At {
  line: number;
}
export type Expression = At &
  (
    | { kind: 'literal'; value: string | number | boolean | null }
    | { kind: 'text'; parts: (string | Expression)[] }
    | { kind: 'name'; name: string }
    | { kind: 'array'; items: Item[] }
    | ObjectExpression
    | { kind: 'for'; item: string; index: string | undefined; list: Expression; body: Expression }
    | { kind: 'if'; condition: Expression; body: ObjectExpression }
    | { kind: 'member'; object: Expression; name: string; safe: boolean }
    | { kind: 'index'; object: Expression; index: Expression; safe: boolean }
    | { kind: 'nested'; object: Expression; name: string }
    | { kind: 'call'; object: Expression | undefined; name: string; args: Expression[] }
    | { kind: 'unary'; operator: string; operand: Expression }
    | { kind: 'binary'; operator: string; left: Expression; right: Expression }
    | { kind: 'ternary'; condition: Expression; yes: Expression; no: Expression }
    | { kind: 'lambda'; names: string[]; body: Expression }
  );
export interface ObjectExpression extends At {
  kind: 'object';
  entries: Entry[];
  /** Resources that are nested in the object. */
  resources: Declaration[];
}
export type Entry = { key: Expression; value: Expression } | { spread: Expression };
export interface Item {
  spread: boolean;
  value: Expression;
}
export interface Declaration extends At {
  keyword: 'param' | 'var' | 'resource' | 'module' | 'output' | 'func' | 'import' | 'targetScope' | 'using' | 'type';
  name: string;
  /** Type and version of a resource, path of a module, import or using, name of a parameter's plain type. */
  reference: string;
  existing: boolean;
  decorators: { name: string; args: Expression[] }[];
  value: Expression | undefined;
  /** The imported names, by their names in this file. */
  imports: Record<string, string>;
}

const PAIRS: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')' };
/** Operators by increasing precedence. Source: Microsoft Learn, bicep/operators. */
const LEVELS = [['??'], ['||'], ['&&'], ['==', '!=', '=~', '!~'], ['<', '<=', '>', '>='], ['+', '-'], ['*', '/', '%']];

/**
 * Returns the declarations of a file in order.
 * @throws BicepError with file and line if the text is not valid Bicep.
 */
export function parseDeclarations(file: string, source: string): Declaration[] {
  const parser = createParser(file, tokenize(file, source));
  const found: Declaration[] = [];
  for (;;) {
    parser.skipLines();
    if (parser.atEnd()) return found;
    const declaration = parser.declaration();
    if (declaration !== undefined) found.push(declaration);
  }
}

interface Parser {
  skipLines(): void;
  atEnd(): boolean;
  declaration(): Declaration | undefined;
  expression(): Expression;
}

function createParser(file: string, tokens: Token[]): Parser {
  let at = 0;
  const current = (): Token => tokens[at] ?? { kind: 'end', text: '', parts: [], line: tokens.at(-1)?.line ?? 0 };
  const fail = (wanted: string): never => {
    const { kind, text, line } = current();
    throw new BicepError(file, line, `expected ${wanted}, got ${text === '' ? kind : `"${text}"`}`);
  };
  const is = (text: string): boolean => current().text === text && /^(mark|name)$/.test(current().kind);
  const accept = (text: string): boolean => {
    if (!is(text)) return false;
    at += 1;
    return true;
  };
  const expect = (text: string): void => {
    if (!accept(text)) fail(`"${text}"`);
  };
  const name = (): string => {
    if (current().kind !== 'name') fail('a name');
    at += 1;
    return tokens[at - 1]?.text ?? '';
  };
  const skipLines = (): void => {
    while (current().kind === 'newline') at += 1;
  };
  /** Whether one of the marks follows after line breaks, which are skipped in this case. */
  const continues = (marks: readonly string[]): boolean => {
    const start = at;
    skipLines();
    if (marks.some(is)) return true;
    at = start;
    return false;
  };
  const endOfLine = (): void => {
    if (current().kind !== 'newline' && current().kind !== 'end') fail('the end of the line');
  };

  function plainText(): string {
    const { kind, parts } = current();
    if (kind !== 'text' || parts.some((part) => typeof part !== 'string')) fail('a plain text');
    at += 1;
    return parts.join('');
  }

  function declaration(): Declaration | undefined {
    const decorators = readDecorators();
    const { line } = current();
    const keyword = name();
    const base = { line, decorators, reference: '', existing: false, value: undefined, imports: {}, name: '' };
    switch (keyword) {
      case 'param': {
        const declared = name();
        const reference = is('=') ? '' : skipType();
        const value = accept('=') ? expression() : undefined;
        endOfLine();
        return { ...base, keyword, name: declared, reference, value };
      }
      case 'var':
      case 'output': {
        const declared = name();
        const reference = is('=') ? '' : skipType();
        expect('=');
        const value = expression();
        endOfLine();
        return { ...base, keyword, name: declared, reference, value };
      }
      case 'resource':
      case 'module': {
        const declared = name();
        const reference = plainText();
        const existing = accept('existing');
        expect('=');
        const value = is('if') ? condition() : expression();
        endOfLine();
        return { ...base, keyword, name: declared, reference, existing, value };
      }
      case 'func': {
        const declared = name();
        const names = parameterNames();
        skipType();
        expect('=>');
        skipLines();
        const value: Expression = { kind: 'lambda', names, body: expression(), line };
        return { ...base, keyword, name: declared, value };
      }
      case 'import': {
        const imports = importNames();
        expect('from');
        return { ...base, keyword, imports, reference: plainText() };
      }
      case 'targetScope':
        expect('=');
        return { ...base, keyword, reference: plainText() };
      case 'using':
        return { ...base, keyword, reference: plainText() };
      case 'type': {
        const declared = name();
        expect('=');
        skipType();
        return { ...base, keyword, name: declared };
      }
      case 'metadata':
        name();
        expect('=');
        expression();
        return undefined;
      default:
        at -= 1;
        return fail('a declaration');
    }
  }

  function readDecorators(): Declaration['decorators'] {
    const found: Declaration['decorators'] = [];
    while (accept('@')) {
      const call = postfix();
      if (call.kind !== 'call') fail('a decorator');
      else found.push({ name: call.name, args: call.args });
      skipLines();
    }
    return found;
  }

  function importNames(): Record<string, string> {
    if (accept('*')) {
      expect('as');
      return { [name()]: '*' };
    }
    expect('{');
    const found: Record<string, string> = {};
    for (skipLines(); !accept('}'); skipLines()) {
      const imported = name();
      found[accept('as') ? name() : imported] = imported;
      accept(',');
    }
    return found;
  }

  function parameterNames(): string[] {
    const names: string[] = [];
    expect('(');
    for (skipLines(); !accept(')'); skipLines()) {
      names.push(name());
      skipType();
      accept(',');
    }
    return names;
  }

  /** Skips a type, which is not evaluated, and returns its source text: callers recognize plain types by it. */
  function skipType(): string {
    const start = at;
    const open: string[] = [];
    for (; current().kind !== 'end'; at += 1) {
      const { text, kind } = current();
      if (open.length === 0 && (text === '=' || text === '=>' || text === ',' || text === ')')) break;
      const canProgress = tokens.slice(at).find((one) => one.kind !== 'newline')?.text === '|';
      if (open.length === 0 && kind === 'newline' && !canProgress) break;
      if (kind === 'mark' && /^[{[(]$/.test(text)) open.push(text);
      if (kind === 'mark' && /^[}\])]$/.test(text) && PAIRS[open.pop() ?? ''] !== text) fail('another bracket');
    }
    if (open.length > 0) fail(`"${PAIRS[open.at(-1) ?? '']}"`);
    return tokens
      .slice(start, at)
      .map(({ text }) => text)
      .join('');
  }

  function condition(): Expression {
    const { line } = current();
    expect('if');
    expect('(');
    skipLines();
    const test = expression();
    skipLines();
    expect(')');
    const body = primary();
    return body.kind === 'object' ? { kind: 'if', condition: test, body, line } : fail('an object');
  }

  function expression(): Expression {
    const { line } = current();
    const lambda = lambdaNames();
    if (lambda !== undefined) {
      skipLines();
      return { kind: 'lambda', names: lambda, body: expression(), line };
    }
    const test = binary(0);
    if (!continues(['?'])) return test;
    expect('?');
    skipLines();
    const yes = expression();
    skipLines();
    expect(':');
    skipLines();
    return { kind: 'ternary', condition: test, yes, no: expression(), line };
  }

  /** Reads the parameter names of a lambda and its arrow. */
  function lambdaNames(): string[] | undefined {
    const start = at;
    const names: string[] = [];
    let whole = current().kind === 'name';
    if (whole) names.push(name());
    else if (accept('(')) {
      while (current().kind === 'name') {
        names.push(name());
        accept(',');
      }
      whole = accept(')');
    }
    if (whole && accept('=>')) return names;
    at = start;
    return undefined;
  }

  function binary(level: number): Expression {
    const operators = LEVELS[level];
    if (operators === undefined) return unary();
    let left = binary(level + 1);
    // Only these may continue an expression on a new line: a line that begins with `-` or `[` is a separate item.
    while (operators.some(is) || (level < 3 && continues(operators))) {
      const { text: operator, line } = current();
      at += 1;
      skipLines();
      left = { kind: 'binary', operator, left, right: binary(level + 1), line };
    }
    return left;
  }

  function unary(): Expression {
    const { line, text } = current();
    if (!accept('!') && !accept('-')) return postfix();
    return { kind: 'unary', operator: text, operand: unary(), line };
  }

  function postfix(): Expression {
    let object = primary();
    for (;;) {
      const { line } = current();
      if (is('.') || is('.?')) {
        const safe = current().text === '.?';
        at += 1;
        const member = name();
        object = is('(')
          ? { kind: 'call', object, name: member, args: callArguments(), line }
          : { kind: 'member', object, name: member, safe, line };
      } else if (accept('[')) {
        const safe = accept('?');
        skipLines();
        object = { kind: 'index', object, index: expression(), safe, line };
        skipLines();
        expect(']');
      } else if (accept('::')) {
        object = { kind: 'nested', object, name: name(), line };
      } else if (!accept('!')) {
        return object;
      }
    }
  }

  function callArguments(): Expression[] {
    const args: Expression[] = [];
    expect('(');
    for (skipLines(); !accept(')'); skipLines()) {
      args.push(expression());
      skipLines();
      if (!is(')')) expect(',');
    }
    return args;
  }

  function primary(): Expression {
    const { kind, text, parts, line } = current();
    if (kind === 'number') {
      at += 1;
      return { kind: 'literal', value: Number(text), line };
    }
    if (kind === 'text') {
      at += 1;
      return { kind: 'text', parts: parts.map((part) => (typeof part === 'string' ? part : inner(part))), line };
    }
    if (kind === 'name') {
      at += 1;
      if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true', line };
      if (text === 'null') return { kind: 'literal', value: null, line };
      return is('(')
        ? { kind: 'call', object: undefined, name: text, args: callArguments(), line }
        : { kind: 'name', name: text, line };
    }
    if (accept('(')) {
      skipLines();
      const value = expression();
      skipLines();
      expect(')');
      return value;
    }
    if (accept('{')) return object(line);
    if (accept('[')) {
      skipLines();
      return is('for') ? loop(line) : array(line);
    }
    return fail('a value');
  }

  function inner(part: Token[]): Expression {
    const parser = createParser(file, part);
    const value = parser.expression();
    if (!parser.atEnd()) throw new BicepError(file, value.line, 'expected one value in an interpolation');
    return value;
  }

  function object(line: number): ObjectExpression {
    const entries: Entry[] = [];
    const resources: Declaration[] = [];
    for (skipLines(); !accept('}'); skipLines()) {
      const start = current();
      if (accept('...')) entries.push({ spread: expression() });
      else if (is('@') || (is('resource') && tokens[at + 1]?.kind === 'name')) {
        const nested = declaration();
        if (nested !== undefined) resources.push(nested);
      } else {
        const key: Expression =
          start.kind === 'text' ? primary() : { kind: 'literal', value: name(), line: start.line };
        expect(':');
        skipLines();
        entries.push({ key, value: expression() });
      }
      if (!is('}') && !accept(',')) endOfLine();
    }
    return { kind: 'object', entries, resources, line };
  }

  function array(line: number): Expression {
    const items: Item[] = [];
    for (skipLines(); !accept(']'); skipLines()) {
      const spread = accept('...');
      items.push({ spread, value: expression() });
      if (!is(']') && !accept(',')) endOfLine();
    }
    return { kind: 'array', items, line };
  }

  function loop(line: number): Expression {
    expect('for');
    let index: string | undefined;
    let item: string;
    if (accept('(')) {
      item = name();
      expect(',');
      index = name();
      expect(')');
    } else item = name();
    expect('in');
    const list = expression();
    expect(':');
    skipLines();
    const body = is('if') ? condition() : expression();
    skipLines();
    expect(']');
    return { kind: 'for', item, index, list, body, line };
  }

  return { skipLines, atEnd: () => current().kind === 'end', declaration, expression };
}
