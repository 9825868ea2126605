import { invalidArgument, unsupported } from '../errors.ts';
import {
  applicationProperty,
  arithmetic,
  both,
  constant,
  type Expression,
  either,
  negated,
  systemProperty,
} from './sql-expressions.ts';
import { type Token, tokenize } from './sql-lexer.ts';
import { type ArithmeticOperator, type ComparisonOperator, compare, likePattern } from './sql-values.ts';
import type { Predicate } from './subject.ts';

/** Maximum length of an expression on Azure. It also limits the recursion depth of the parser. */
const MAX_EXPRESSION_LENGTH = 1024;

const comparisons: readonly string[] = ['=', '<>', '!=', '<', '<=', '>', '>='] satisfies ComparisonOperator[];

const keywords = new Set(['and', 'or', 'not', 'in', 'like', 'is', 'null', 'exists', 'escape', 'true', 'false']);

/**
 * Compiles the condition of a SQL filter. Unknown values (missing properties, types that do not match) follow three-valued
 * logic. A message matches only if the condition is true. Throws argument-error on a syntax error, or an error that specifies
 * the unsupported feature.
 */
export function compileSqlFilter(expression: string): Predicate {
  if (expression.length > MAX_EXPRESSION_LENGTH) {
    throw invalidArgument(`SQL filter: expected at most ${MAX_EXPRESSION_LENGTH} characters, got ${expression.length}`);
  }
  const evaluate = new Parser(expression).parse();
  return (subject) => evaluate(subject) === true;
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokenize(text);
  }

  parse(): Expression {
    const expression = this.#or();
    if (this.#token.kind !== 'end') throw this.#unexpected('an operator or the end');
    return expression;
  }

  get #token(): Token {
    return this.#tokens[this.#position] ?? { kind: 'end', text: 'end of expression', at: this.#text.length };
  }

  #unexpected(expected: string): Error {
    const { text, at } = this.#token;
    return invalidArgument(`SQL filter: expected ${expected}, got '${text}' at offset ${at} of: ${this.#text}`);
  }

  #take(text: string): boolean {
    const { kind, text: actual } = this.#token;
    const matches = (kind === 'word' || kind === 'symbol') && actual.toLowerCase() === text;
    if (matches) this.#position++;
    return matches;
  }

  #takeAny<T extends string>(texts: readonly T[]): T | undefined {
    return texts.find((text) => this.#take(text));
  }

  #expect(text: string): void {
    if (!this.#take(text)) throw this.#unexpected(`'${text}'`);
  }

  #or(): Expression {
    let left = this.#and();
    while (this.#take('or')) left = either(left, this.#and());
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.#take('and')) left = both(left, this.#not());
    return left;
  }

  #not(): Expression {
    return this.#take('not') ? negated(this.#not()) : this.#condition();
  }

  #condition(): Expression {
    const left = this.#sum();
    if (this.#take('is')) return this.#isNull(left);
    const negative = this.#take('not');
    const test = this.#take('in') ? this.#in(left) : this.#take('like') ? this.#like(left) : undefined;
    if (test) return negative ? negated(test) : test;
    if (negative) throw this.#unexpected('IN or LIKE');
    return comparisons.includes(this.#token.text) ? this.#comparison(left) : left;
  }

  #comparison(left: Expression): Expression {
    const operator = this.#takeAny<ComparisonOperator>(['=', '<>', '!=', '<', '<=', '>', '>=']);
    if (!operator) return left;
    const right = this.#sum();
    return (subject) => compare(operator, left(subject), right(subject));
  }

  #isNull(left: Expression): Expression {
    const negative = this.#take('not');
    this.#expect('null');
    return (subject) => (left(subject) === null) !== negative;
  }

  #in(left: Expression): Expression {
    this.#expect('(');
    const choices = [this.#sum()];
    while (this.#take(',')) choices.push(this.#sum());
    this.#expect(')');
    return choices
      .map(
        (choice): Expression =>
          (subject) =>
            compare('=', left(subject), choice(subject)),
      )
      .reduce((some, next) => either(some, next));
  }

  #like(left: Expression): Expression {
    const pattern = this.#string();
    const escapeCharacter = this.#take('escape') ? this.#string() : undefined;
    const expression = likePattern(pattern, escapeCharacter);
    return (subject) => {
      const value = left(subject);
      return typeof value === 'string' ? expression.test(value) : null;
    };
  }

  #sum(): Expression {
    let left = this.#product();
    for (;;) {
      const operator = this.#takeAny<ArithmeticOperator>(['+', '-']);
      if (!operator) return left;
      left = arithmetic(operator, left, this.#product());
    }
  }

  #product(): Expression {
    let left = this.#signed();
    for (;;) {
      const operator = this.#takeAny<ArithmeticOperator>(['*', '/', '%']);
      if (!operator) return left;
      left = arithmetic(operator, left, this.#signed());
    }
  }

  #signed(): Expression {
    if (this.#take('+')) return this.#signed();
    return this.#take('-') ? arithmetic('-', () => 0, this.#signed()) : this.#primary();
  }

  #primary(): Expression {
    const token = this.#token;
    if (token.kind === 'string') return constant(this.#string());
    if (token.kind === 'number') return constant(Number(this.#next().text));
    if (this.#take('(')) return this.#closed(this.#or());
    if (this.#take('true')) return constant(true);
    if (this.#take('false')) return constant(false);
    if (this.#take('null')) return constant(null);
    if (this.#take('exists')) return this.#exists();
    return this.#property();
  }

  #exists(): Expression {
    this.#expect('(');
    // A property with the value null does not occur, since AMQP senders omit null properties.
    const property = this.#property();
    return this.#closed((subject) => property(subject) !== null);
  }

  #closed(expression: Expression): Expression {
    this.#expect(')');
    return expression;
  }

  #property(): Expression {
    const { kind, text } = this.#token;
    if (kind === 'word' && keywords.has(text.toLowerCase())) throw this.#unexpected('a property or a value');
    const first = this.#name();
    if (this.#take('(')) throw unsupported(`SQL filter: the function ${first}() is`);
    if (!this.#take('.')) return applicationProperty(first);
    const scope = first.toLowerCase();
    if (scope === 'user') return applicationProperty(this.#name());
    if (scope !== 'sys') throw invalidArgument(`SQL filter: expected scope sys or user, got '${first}': ${this.#text}`);
    return systemProperty(this.#name());
  }

  #name(): string {
    if (this.#token.kind !== 'word' && this.#token.kind !== 'quoted') throw this.#unexpected('a property or a value');
    return this.#next().text;
  }

  #string(): string {
    if (this.#token.kind !== 'string') throw this.#unexpected('a string');
    return this.#next().text;
  }

  #next(): Token {
    const token = this.#token;
    this.#position++;
    return token;
  }
}
