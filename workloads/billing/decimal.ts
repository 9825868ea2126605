/**
 * Exact decimals as scaled integers. A value at scale 2 is a number of hundredths: a BigInt, or a double if it has at
 * most 15 digits, because such integers are exact in a double and take half the time. Amounts are never rounded, so
 * sums do not depend on the order in which chunks finish.
 */

/**
 * Maximum number of digits up to which a double represents every integer. The sum of two such integers is exact, too
 * (2^53 has 16).
 */
const EXACT_DIGITS = 15;
const EXACT_LIMIT = 10 ** EXACT_DIGITS;

/**
 * Parses `text` with `scale` digits after the point.
 * @throws RangeError for text that is not a plain decimal or has more digits
 */
export function parseDecimal(text: string, scale: number): bigint {
  const units = toExactUnits(text, scale);
  if (units !== undefined) return BigInt(units);
  const fraction = digitsAfterPoint(text);
  if (fraction > scale || !isPlainDecimal(text)) {
    throw new RangeError(
      `Expected a decimal with at most ${scale} digits after the point, got ${JSON.stringify(text)}.`,
    );
  }
  const digits = fraction === 0 ? text : text.slice(0, -fraction - 1) + text.slice(-fraction);
  return BigInt(digits) * powerOfTen(scale - fraction);
}

/** Formats a scaled integer with exactly `scale` digits after the point: (-5n, 2) is "-0.05". */
export function formatDecimal(units: bigint, scale: number): string {
  if (scale === 0) return units.toString();
  if (isExact(units) && scale <= EXACT_DIGITS) return formatExactUnits(Number(units), scale);
  const negative = units < 0n;
  const digits = (negative ? -units : units).toString().padStart(scale + 1, '0');
  const split = digits.length - scale;
  return `${negative ? '-' : ''}${digits.slice(0, split)}.${digits.slice(split)}`;
}

/**
 * Divides and rounds half away from zero. The rounding is symmetric, so a credit cancels exactly what its usage was
 * billed.
 */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twiceRest = (dividend % divisor) * 2n;
  if (twiceRest >= divisor) return quotient + 1n;
  return -twiceRest >= divisor ? quotient - 1n : quotient;
}

/** Returns the exact sum of two decimals, with as many digits after the point as the longer one has. */
export function addDecimals(a: string, b: string): string {
  const scale = Math.max(digitsAfterPoint(a), digitsAfterPoint(b));
  const first = toExactUnits(a, scale);
  const second = toExactUnits(b, scale);
  if (first !== undefined && second !== undefined) return formatExactUnits(first + second, scale);
  return formatDecimal(parseDecimal(a, scale) + parseDecimal(b, scale), scale);
}

/**
 * A scaled integer in a form that JSON represents exactly: a number of at most 15 digits, or a longer one as text. Each
 * integer has only one form, so sums do not depend on their order.
 */
export type Units = number | string;

/**
 * Parses `text` with `scale` digits after the point.
 * @throws RangeError for text that is not a plain decimal or has more digits
 */
export const toUnits = (text: string, scale: number): Units =>
  toExactUnits(text, scale) ?? unitsOf(parseDecimal(text, scale));

/**
 * Returns the exact sum of two scaled integers.
 * @throws SyntaxError for text that is not an integer
 */
export function addUnits(a: Units, b: Units): Units {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (sum < EXACT_LIMIT && sum > -EXACT_LIMIT) return sum;
  }
  return unitsOf(BigInt(a) + BigInt(b));
}

/** Formats units with exactly `scale` digits after the point. */
export const formatUnits = (units: Units, scale: number): string => formatDecimal(BigInt(units), scale);

const unitsOf = (units: bigint): Units => (isExact(units) ? Number(units) : units.toString());
const isExact = (units: bigint): boolean => units < EXACT_LIMIT && units > -EXACT_LIMIT;

/** Returns 10 to the power of `exponent`, a divisor that changes the scale. */
export function powerOfTen(exponent: number): bigint {
  return POWERS[exponent] ?? 10n ** BigInt(exponent);
}

const POWERS = Array.from({ length: 24 }, (_, exponent) => 10n ** BigInt(exponent));

function digitsAfterPoint(text: string): number {
  const point = text.indexOf('.');
  return point === -1 ? 0 : text.length - point - 1;
}

const PLAIN_DECIMAL = /^-?\d+(\.\d+)?$/;
const isPlainDecimal = (text: string): boolean => PLAIN_DECIMAL.test(text);

const EXACT_POWERS = Array.from({ length: EXACT_DIGITS + 1 }, (_, exponent) => 10 ** exponent);

const ZERO = 48;
const POINT = 46;
const MINUS = 45;

/**
 * Returns `text` in units at `scale`, or undefined for text that is not a plain decimal, has more than 15 digits, or
 * too many after the point.
 */
function toExactUnits(text: string, scale: number): number | undefined {
  const start = text.charCodeAt(0) === MINUS ? 1 : 0;
  const last = text.length - 1;
  let point = last;
  let units = 0;
  for (let i = start; i <= last; i++) {
    const code = text.charCodeAt(i);
    const digit = code - ZERO;
    if (digit >= 0 && digit <= 9) units = units * 10 + digit;
    else if (code === POINT && point === last && i > start && i < last) point = i;
    else return undefined;
  }
  const missing = scale - (last - point);
  const digits = last - start + (point === last ? 1 : 0);
  if (digits === 0 || missing < 0 || digits + missing > EXACT_DIGITS) return undefined;
  const size = units * (EXACT_POWERS[missing] ?? 0);
  return start === 1 ? -size : size;
}

/**
 * Like `formatDecimal`, for integers that are exact in a double: the error of the quotient is less than its last unit.
 */
function formatExactUnits(units: number, scale: number): string {
  if (scale === 0) return String(units);
  const size = Math.abs(units);
  const power = EXACT_POWERS[scale] ?? 1;
  const whole = Math.floor(size / power);
  // The leading 1 preserves zeros after the point.
  const text = `${whole}.${String(power + size - whole * power).slice(1)}`;
  return units < 0 ? `-${text}` : text;
}
