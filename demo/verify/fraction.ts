/** An exact rational number; `bottom` is positive. Not reduced, because the terms here stay short. */
export interface Fraction {
  top: bigint;
  bottom: bigint;
}

/** Reads a decimal digit by digit. Returns undefined for text that is not a decimal with at most these digits. */
export function readFraction(text: string, most: { whole: number; decimals: number }): Fraction | undefined {
  const negative = text.startsWith('-');
  const [whole = '', decimals, ...rest] = text.slice(negative ? 1 : 0).split('.');
  if (rest.length > 0 || !isDigits(whole, most.whole)) return undefined;
  if (decimals !== undefined && !isDigits(decimals, most.decimals)) return undefined;
  let top = 0n;
  let bottom = 1n;
  for (const digit of whole) top = top * 10n + BigInt(digit);
  for (const digit of decimals ?? '') {
    top = top * 10n + BigInt(digit);
    bottom *= 10n;
  }
  return { top: negative ? -top : top, bottom };
}

function isDigits(text: string, most: number): boolean {
  return text.length >= 1 && text.length <= most && [...text].every((digit) => digit >= '0' && digit <= '9');
}

export const plus = (a: Fraction, b: Fraction): Fraction => ({
  top: a.top * b.bottom + b.top * a.bottom,
  bottom: a.bottom * b.bottom,
});

export const times = (a: Fraction, b: Fraction): Fraction => ({ top: a.top * b.top, bottom: a.bottom * b.bottom });

/** Returns the nearest whole number; halves are rounded away from zero. */
export function toNearest({ top, bottom }: Fraction): bigint {
  const size = top < 0n ? -top : top;
  const nearest = (2n * size + bottom) / (2n * bottom);
  return top < 0n ? -nearest : nearest;
}

/** Formats a whole number of minor units as an amount: (1999n, 2) is "19.99". */
export function writeAmount(minor: bigint, decimals: number): string {
  const size = minor < 0n ? -minor : minor;
  const unit = 10n ** BigInt(decimals);
  const sign = minor < 0n ? '-' : '';
  if (decimals === 0) return `${sign}${size}`;
  return `${sign}${size / unit}.${String((size % unit) + unit).slice(1)}`;
}
