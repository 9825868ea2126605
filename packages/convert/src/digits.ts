/** Writes a finite number in full digits, without an exponent: 1e21 is "1000000000000000000000". */
export function plainDigits(value: number): string {
  const text = String(value);
  const [, sign = '', head = '', tail = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const shift = Number(exponent);
  if (shift < 0) return `${sign}0.${'0'.repeat(-shift - 1)}${head}${tail}`;
  return BigInt(value).toString();
}
