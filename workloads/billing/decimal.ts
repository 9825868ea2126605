/**
 * Exact decimals as scaled integers: a value at scale 2 is a BigInt of hundredths, or a double of as many where it has at
 * most 15 digits: such integers are exact in a double, and take half the time. No rounding touches an amount, so
 * sums do not depend on the order in which chunks finish.
 */

/** The most digits of which a double holds every integer; the sum of two such integers is exact as well (2^53 has 16). */
const EXACT_DIGITS = 15;
const EXACT_LIMIT = 10 ** EXACT_DIGITS;

/** `text` at `scale` digits after the point. Throws RangeError for what is no plain decimal or has more digits. */
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

/** Writes a scaled integer with exactly `scale` digits after the point: (-5n, 2) is "-0.05". */
export function formatDecimal(units: bigint, scale: number): string {
  if (scale === 0) return units.toString();
  if (isExact(units) && scale <= EXACT_DIGITS) return formatExactUnits(Number(units), scale);
  const negative = units < 0n;
  const digits = (negative ? -units : units).toString().padStart(scale + 1, '0');
  const split = digits.length - scale;
  return `${negative ? '-' : ''}${digits.slice(0, split)}.${digits.slice(split)}`;
}

/** Division rounded half away from zero: symmetric, so that a credit takes back exactly what its usage was billed. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twiceRest = (dividend % divisor) * 2n;
  if (twiceRest >= divisor) return quotient + 1n;
  return -twiceRest >= divisor ? quotient - 1n : quotient;
}

/** The exact sum of two decimals, with as many digits after the point as the longer one has. */
export function addDecimals(a: string, b: string): string {
  const scale = Math.max(digitsAfterPoint(a), digitsAfterPoint(b));
  const first = toExactUnits(a, scale);
  const second = toExactUnits(b, scale);
  if (first !== undefined && second !== undefined) return formatExactUnits(first + second, scale);
  return formatDecimal(parseDecimal(a, scale) + parseDecimal(b, scale), scale);
}

/**
 * A scaled integer in a form that JSON keeps exactly: a number of at most 15 digits, or the digits of a longer one as text. Each
 * integer has one form, so that sums do not depend on their order.
 */
export type Units = number | string;

/** `text` at `scale` digits after the point. Throws RangeError for what is no plain decimal or has more digits. */
export const toUnits = (text: string, scale: number): Units =>
  toExactUnits(text, scale) ?? unitsOf(parseDecimal(text, scale));

/** The exact sum of two scaled integers. Throws SyntaxError for a text that is no integer. */
export function addUnits(a: Units, b: Units): Units {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b;
    if (sum < EXACT_LIMIT && sum > -EXACT_LIMIT) return sum;
  }
  return unitsOf(BigInt(a) + BigInt(b));
}

/** Writes units with exactly `scale` digits after the point. */
export const formatUnits = (units: Units, scale: number): string => formatDecimal(BigInt(units), scale);

const unitsOf = (units: bigint): Units => (isExact(units) ? Number(units) : units.toString());
const isExact = (units: bigint): boolean => units < EXACT_LIMIT && units > -EXACT_LIMIT;

/** 10 to the power of `exponent`, for a divisor that shifts the scale. */
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

/** `text` in units at `scale`; undefined for what is no plain decimal, or has over 15 digits or too many after its point. */
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

/** As `formatDecimal`, for integers that are exact in a double: the quotient is off by less than its last unit. */
function formatExactUnits(units: number, scale: number): string {
  if (scale === 0) return String(units);
  const size = Math.abs(units);
  const power = EXACT_POWERS[scale] ?? 1;
  const whole = Math.floor(size / power);
  // The leading 1 keeps the zeros behind the point.
  const text = `${whole}.${String(power + size - whole * power).slice(1)}`;
  return units < 0 ? `-${text}` : text;
}
