/** The values that are valid for the types of a table property. */
import { type Property, WrittenNumber } from './entity.ts';

const INT32 = { min: -(2n ** 31n), max: 2n ** 31n - 1n };
const INT64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const INTEGER = /^-?\d+$/;
const GUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,7})?)?(?:Z|[+-]\d{2}:\d{2})?$/;
const NOT_FINITE = new Set(['NaN', 'Infinity', '-Infinity']);

/** Returns the written form of a number or string, or undefined. */
const written = (value: unknown): string | undefined =>
  value instanceof WrittenNumber ? value.source : typeof value === 'string' ? value : undefined;

const isInteger = (value: unknown, { min, max }: { min: bigint; max: bigint }): boolean => {
  const text = written(value);
  return text !== undefined && INTEGER.test(text) && BigInt(text) >= min && BigInt(text) <= max;
};

const isDouble = (value: unknown): boolean => {
  const text = written(value);
  return text !== undefined && text !== '' && (NOT_FINITE.has(text) || Number.isFinite(Number(text)));
};

const matches = (value: unknown, form: RegExp): boolean => typeof value === 'string' && form.test(value);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  'Edm.String': (value) => typeof value === 'string',
  'Edm.Boolean': (value) => typeof value === 'boolean' || value === 'true' || value === 'false',
  'Edm.Int32': (value) => isInteger(value, INT32),
  'Edm.Int64': (value) => typeof value === 'string' && isInteger(value, INT64),
  'Edm.Double': isDouble,
  'Edm.Guid': (value) => matches(value, GUID),
  'Edm.Binary': (value) => matches(value, BASE64),
  'Edm.DateTime': (value) => matches(value, DATE_TIME) && !Number.isNaN(Date.parse(String(value))),
};

/** Whether an annotated value has the form and range of its type. Unknown types have no valid values. */
export const isOfItsType = ({ type, value }: Property): boolean =>
  type === undefined || (TYPES[type]?.(value) ?? false);

/** Whether a value without annotation has a type in JSON: text, true or false, an Int32, or a Double. */
export function isTypedByJson({ type, value }: Property): boolean {
  if (type !== undefined || typeof value === 'string' || typeof value === 'boolean') return true;
  if (!(value instanceof WrittenNumber)) return false;
  return INTEGER.test(value.source) ? isInteger(value, INT32) : isDouble(value);
}

const FIRST_DATE = Date.UTC(1601, 0, 1);

/** Whether a DateTime is in the range that the service stores. */
export const isStorableDate = ({ type, value }: Property): boolean =>
  type !== 'Edm.DateTime' || Number.isNaN(Date.parse(String(value))) || Date.parse(String(value)) >= FIRST_DATE;
