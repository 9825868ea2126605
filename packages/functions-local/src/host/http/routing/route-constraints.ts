/** Whether a decoded route value satisfies the constraint. */
export type RouteConstraint = (value: string) => boolean;

const INTEGER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(\d[\d,]*)?\.?\d+([eE][+-]?\d+)?$/;
const GUID = /^(\{|\()?[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}(\}|\))?$/i;

const within = (value: string, low: bigint, high: bigint) =>
  INTEGER.test(value) && BigInt(value.replace('+', '')) >= low && BigInt(value.replace('+', '')) <= high;

const SIMPLE: Readonly<Record<string, RouteConstraint>> = {
  int: (value) => within(value, -(2n ** 31n), 2n ** 31n - 1n),
  long: (value) => within(value, -(2n ** 63n), 2n ** 63n - 1n),
  bool: (value) => /^(true|false)$/i.test(value),
  guid: (value) => GUID.test(value),
  alpha: (value) => /^[a-z]*$/i.test(value),
  datetime: (value) => !Number.isNaN(Date.parse(value)),
  decimal: (value) => NUMBER.test(value),
  double: (value) => NUMBER.test(value),
  float: (value) => NUMBER.test(value),
  required: (value) => value !== '',
};

const WITH_ARGUMENTS: Readonly<Record<string, (argument: string) => RouteConstraint>> = {
  min: (low) => (value) => INTEGER.test(value) && BigInt(value) >= BigInt(low),
  max: (high) => (value) => INTEGER.test(value) && BigInt(value) <= BigInt(high),
  range: (bounds) => {
    const [low = '0', high = '0'] = bounds.split(',').map((bound) => bound.trim());
    return (value) => within(value, BigInt(low), BigInt(high));
  },
  length: (bounds) => {
    const [low = 0, high = low] = bounds.split(',').map(Number);
    return (value) => value.length >= low && value.length <= high;
  },
  minlength: (low) => (value) => value.length >= Number(low),
  maxlength: (high) => (value) => value.length <= Number(high),
  regex: (pattern) => {
    const compiled = new RegExp(pattern, 'i');
    return (value) => compiled.test(value);
  },
};

/** Compiles a constraint, for example `int` or `length(3,5)`. Throws if its name is unknown. */
export function compileConstraint(text: string): RouteConstraint {
  const [, name = '', argument] = /^([a-z]+)(?:\((.*)\))?$/is.exec(text) ?? [];
  const simple = argument === undefined ? SIMPLE[name.toLowerCase()] : undefined;
  if (simple) return simple;
  const make = argument === undefined ? undefined : WITH_ARGUMENTS[name.toLowerCase()];
  if (make) return make(argument ?? '');
  throw new Error(
    `Route constraint '${text}' is unknown; expected one of ` +
      `${[...Object.keys(SIMPLE), ...Object.keys(WITH_ARGUMENTS).map((known) => `${known}(..)`)].join(', ')}.`,
  );
}
