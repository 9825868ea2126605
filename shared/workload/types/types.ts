/** The types of a JSON value, as bits. A whole number is `integer`, any other number `fraction`. */
export const TYPES = { text: 1, integer: 2, fraction: 4, boolean: 8, null: 16, object: 32, array: 64 } as const;
export const ANY = 127;
export const NUMBER = TYPES.integer | TYPES.fraction;

/** The types by their names in JSON Schema. */
export const NAMED_TYPES: Readonly<Record<string, number>> = {
  ...{ string: TYPES.text, integer: TYPES.integer, number: NUMBER, boolean: TYPES.boolean },
  ...{ null: TYPES.null, object: TYPES.object, array: TYPES.array },
};

/** Returns the type of a JSON value. */
export function typeOf(value: unknown): number {
  if (value === null) return TYPES.null;
  if (Array.isArray(value)) return TYPES.array;
  if (typeof value === 'number') return Number.isInteger(value) ? TYPES.integer : TYPES.fraction;
  return NAMED_TYPES[typeof value] ?? TYPES.object;
}

/** Returns the types that occur in a list of values. */
export const typesOf = (values: readonly unknown[]): number =>
  values.reduce((types: number, value) => types | typeOf(value), 0);
