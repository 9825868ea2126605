/** Converts Parquet values to JSON values without rounding. */
import type { ParquetParsers, SchemaElement, SchemaTree } from 'hyparquet';
import { ConversionError } from './conversion-error.ts';

/** Types whose raw numbers or bytes are converted here and not by the library. */
interface ExactType {
  /** Number of decimals of a DECIMAL. */
  scale?: number;
  /** Ticks per second of a time of day. */
  ticks?: bigint;
  isFloat32?: boolean;
}

/** The type of a column or nested field. */
export interface TypeTree extends ExactType {
  fields: ReadonlyMap<string, TypeTree>;
  /** The elements of a list or the values of a map. */
  element?: TypeTree;
}

/** Converts dates and times to ISO 8601 texts. A timestamp is in UTC, with as many digits as it needs. */
export const PARSERS: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (ms) => timestamp(ms, 1_000n),
  timestampFromMicroseconds: (us) => timestamp(us, 1_000_000n),
  timestampFromNanoseconds: (ns) => timestamp(ns, 1_000_000_000n),
  dateFromDays: (days) => (days === undefined ? undefined : new Date(days * 86_400_000).toISOString().slice(0, 10)),
};

/**
 * Describes a schema, and removes from it the types that the library would round: it converts a decimal to a double, so that
 * 1.15 becomes 1.1500000000000001.
 */
export function takeExactTypes(tree: SchemaTree): TypeTree {
  const type = exactTypeOf(tree.element);
  if (type.scale !== undefined || type.ticks !== undefined) {
    delete tree.element.converted_type;
    delete tree.element.logical_type;
  }
  const fields = new Map(tree.children.map((child) => [child.element.name, takeExactTypes(child)]));
  const [only] = fields.values();
  const inner = [...(only?.fields.values() ?? [])];
  // A list is stored as list.element, a map as key_value.key and .value.
  const element = inner.length === 1 ? inner[0] : (only?.fields.get('value') ?? only);
  return { ...type, fields, ...(element === undefined ? {} : { element }) };
}

function exactTypeOf({ type, converted_type, logical_type, scale }: SchemaElement): ExactType {
  if (converted_type === 'DECIMAL') return { scale: scale ?? 0 };
  if (logical_type?.type === 'DECIMAL') return { scale: logical_type.scale };
  if (converted_type === 'TIME_MILLIS') return { ticks: 1_000n };
  if (converted_type === 'TIME_MICROS') return { ticks: 1_000_000n };
  if (logical_type?.type === 'TIME') return { ticks: TICKS[logical_type.unit] };
  return type === 'FLOAT' ? { isFloat32: true } : {};
}

const TICKS = { MILLIS: 1_000n, MICROS: 1_000_000n, NANOS: 1_000_000_000n } as const;

/** Converts a value for JSON.stringify; undefined if it is absent. `at` describes its place for errors. */
export function toJsonValue(value: unknown, type: TypeTree, at: (path: string) => string, path = ''): unknown {
  if (value === null || value === undefined) return undefined;
  if (type.scale !== undefined) return decimal(unscaled(value), type.scale);
  if (type.ticks !== undefined) return timeOfDay(unscaled(value), type.ticks);
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') return number(value, type, () => at(path));
  if (value instanceof Uint8Array) return text(value, () => at(path));
  if (Array.isArray(value))
    return value.map((each) => toJsonValue(each, type.element ?? NOTHING_KNOWN, at, path) ?? null);
  if (typeof value !== 'object') return value;
  const item: Record<string, unknown> = Object.create(null);
  for (const [name, each] of Object.entries(value)) {
    const field = type.fields.get(name) ?? type.element ?? NOTHING_KNOWN;
    item[name] = toJsonValue(each, field, at, path === '' ? name : `${path}.${name}`);
  }
  return item;
}

const NOTHING_KNOWN: TypeTree = { fields: new Map() };

/** Converts a number. NaN means a missing value, as in data frames. */
function number(value: number, { isFloat32 }: TypeTree, at: () => string): number | undefined {
  if (Number.isNaN(value)) return undefined;
  if (!Number.isFinite(value)) throw refusal(`${at()} is infinite, which JSON cannot represent.`);
  if (!isFloat32) return value;
  // The shortest decimal that identifies this float: 0.1, not 0.10000000149011612.
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function text(bytes: Uint8Array, at: () => string): string {
  try {
    return utf8.decode(bytes);
  } catch (error: unknown) {
    throw refusal(`${at()} contains binary data, which JSON cannot represent.`, error);
  }
}

const refusal = (message: string, cause?: unknown): ConversionError =>
  new ConversionError(message[0]?.toUpperCase() + message.slice(1), { cause });

/**
 * Returns the unscaled integer. The library returns up to eight bytes as a number, more as big-endian bytes in two's
 * complement.
 */
function unscaled(value: unknown): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(value as number | bigint);
  const hex = Buffer.from(value).toString('hex');
  return hex === '' ? 0n : BigInt.asIntN(value.length * 8, BigInt(`0x${hex}`));
}

/** A double represents any decimal number with this many digits. */
const EXACT_DIGITS = 15;

/** Returns a number if a double keeps all digits, otherwise a text. */
function decimal(value: bigint, scale: number): number | string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const point = digits.length - scale;
  const written = `${value < 0n ? '-' : ''}${digits.slice(0, point)}${scale === 0 ? '' : `.${digits.slice(point)}`}`;
  return digits.length <= EXACT_DIGITS || (scale === 0 && Number.isSafeInteger(Number(value)))
    ? Number(written)
    : written;
}

function fractionOf(rest: bigint, ticks: bigint): string {
  const digits = String(rest).padStart(String(ticks).length - 1, '0');
  const most = digits.replace(/0+$/, '');
  return most === '' ? '' : `.${most.padEnd(3, '0')}`;
}

function timestamp(value: bigint | number | undefined, ticks: bigint): string | undefined {
  if (value === undefined) return undefined;
  const whole = BigInt(value);
  const rest = ((whole % ticks) + ticks) % ticks;
  const seconds = Number((whole - rest) / ticks);
  return `${new Date(seconds * 1000).toISOString().slice(0, -5)}${fractionOf(rest, ticks)}Z`;
}

function timeOfDay(value: bigint, ticks: bigint): string {
  const iso = new Date(Number(value / ticks) * 1000).toISOString();
  return `${iso.slice(11, 19)}${fractionOf(value % ticks, ticks)}`;
}
