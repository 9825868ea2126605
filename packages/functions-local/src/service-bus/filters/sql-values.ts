import type { FilterValue } from './subject.ts';

/** Comparison operators. Both spellings of "not equal" have the same meaning. */
export type ComparisonOperator = '=' | '<>' | '!=' | '<' | '<=' | '>' | '>=';

/** Arithmetic operators. `+` also concatenates strings. */
export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';

function order(left: FilterValue, right: FilterValue): number | null {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (left instanceof Date && right instanceof Date) return left.getTime() - right.getTime();
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
  return null;
}

/** Compares two values. As in a SQL filter, returns null ("unknown") if one is null or the types do not match. */
export function compare(operator: ComparisonOperator, left: FilterValue, right: FilterValue): boolean | null {
  const bothBoolean = typeof left === 'boolean' && typeof right === 'boolean';
  const difference = bothBoolean ? Number(left) - Number(right) : order(left, right);
  if (difference === null || Number.isNaN(difference)) return null;
  switch (operator) {
    case '=':
      return difference === 0;
    case '<>':
    case '!=':
      return difference !== 0;
    case '<':
      return bothBoolean ? null : difference < 0;
    case '<=':
      return bothBoolean ? null : difference <= 0;
    case '>':
      return bothBoolean ? null : difference > 0;
    case '>=':
      return bothBoolean ? null : difference >= 0;
    default:
      return operator satisfies never;
  }
}

/** Calculates a value. Returns null ("unknown") if an operand is not a number, or on division by zero. */
export function calculate(operator: ArithmeticOperator, left: FilterValue, right: FilterValue): FilterValue {
  if (operator === '+' && typeof left === 'string' && typeof right === 'string') return left + right;
  if (typeof left !== 'number' || typeof right !== 'number') return null;
  const result = arithmetic(operator, left, right);
  return Number.isFinite(result) ? result : null;
}

function arithmetic(operator: ArithmeticOperator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '%':
      return left % right;
    default:
      return operator satisfies never;
  }
}

function escaped(character: string): string {
  return /[\\^$.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}

/**
 * Converts the pattern of a LIKE to a regular expression: `%` matches any characters, `_` one character, and
 * `escapeCharacter` makes the next character literal.
 */
export function likePattern(pattern: string, escapeCharacter: string | undefined): RegExp {
  let source = '';
  const characters = [...pattern];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] ?? '';
    if (character === escapeCharacter && i + 1 < characters.length) source += escaped(characters[++i] ?? '');
    else if (character === '%') source += '.*';
    else if (character === '_') source += '.';
    else source += escaped(character);
  }
  return new RegExp(`^${source}$`, 'su');
}
