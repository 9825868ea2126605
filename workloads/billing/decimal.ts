/**
 * Exact decimals as scaled integers: a value at scale 2 is a BigInt of hundredths. No float touches an amount, so sums
 * do not depend on the order in which chunks finish.
 */

/** `text` at `scale` digits after the point. Throws RangeError for what is no plain decimal or has more digits. */
export function parseDecimal(text: string, scale: number): bigint {
  const fraction = digitsAfterPoint(text);
  if (fraction > scale || !isPlainDecimal(text)) {
    throw new RangeError(
      `Expected a decimal with at most ${scale} digits after the point, got ${JSON.stringify(text)}.`,
    );
  }
  const digits = fraction === 0 ? text : text.slice(0, -fraction - 1) + text.slice(-fraction);
  return toInteger(digits) * powerOfTen(scale - fraction);
}

/** Writes a scaled integer with exactly `scale` digits after the point: (-5n, 2) is "-0.05". */
export function formatDecimal(units: bigint, scale: number): string {
  if (scale === 0) return units.toString();
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
  return formatDecimal(parseDecimal(a, scale) + parseDecimal(b, scale), scale);
}

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

/** Up to 15 digits a double is exact, and BigInt(number) takes a third of the time of BigInt(string). */
const toInteger = (digits: string): bigint => BigInt(digits.length <= 15 ? Number(digits) : digits);
