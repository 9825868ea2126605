/** An entity of a request body: property names, types and values. Unlike with JSON.parse, numbers keep their written form. */

import type { Request } from '../request.ts';
import { parseJson } from './json.ts';

/** A number in its written form: `5` is an Int32, `5.0` a Double, and a whole number outside the range of Int32 has no type. */
export class WrittenNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

export interface Property {
  name: string;
  /** From `name@odata.type`, for example `Edm.Int64`. Undefined if the property has no annotation. */
  type: string | undefined;
  value: unknown;
}

export interface Entity {
  partitionKey: unknown;
  rowKey: unknown;
  /** Without the keys, Timestamp, annotations and null values, which the service does not store. */
  properties: Property[];
}

const SYSTEM = new Set(['PartitionKey', 'RowKey', 'Timestamp']);
const TYPE = '@odata.type';

/** Several rules read the same entity. Each body is parsed only once. */
const parsed = new WeakMap<Buffer, { entity: Entity | undefined }>();

/** Parses the entity. Returns undefined if the body is not a JSON object. */
export function parseEntity(body: Buffer): Entity | undefined {
  const known = parsed.get(body) ?? { entity: readEntity(body) };
  parsed.set(body, known);
  return known.entity;
}

function readEntity(body: Buffer): Entity | undefined {
  const object = parseObject(body.toString());
  if (object === undefined) return undefined;
  const properties = Object.entries(object)
    .filter(([name, value]) => !SYSTEM.has(name) && !/@?odata\./.test(name) && value !== null)
    .map(([name, value]) => ({ name, type: typeOf(object, name), value }));
  return { partitionKey: object.PartitionKey, rowKey: object.RowKey, properties };
}

const typeOf = (object: Record<string, unknown>, name: string): string | undefined => {
  const type = object[name + TYPE];
  return typeof type === 'string' ? type : undefined;
};

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parseJson(text, (source) => new WrittenNumber(source));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the size of an entity in bytes, with the formula for Azure tables: strings have two bytes per UTF-16 unit. A value
 * of the wrong type has no size, since another rule refuses it.
 */
export function entityBytes({ partitionKey, rowKey, properties }: Entity): number {
  const keys = [partitionKey, rowKey].reduce<number>((sum, key) => sum + 2 * String(key ?? '').length, 4);
  return properties.reduce((sum, property) => sum + 8 + 2 * property.name.length + valueBytes(property), keys);
}

const FIXED_BYTES: Readonly<Record<string, number>> = {
  'Edm.Boolean': 1,
  'Edm.Int32': 4,
  'Edm.Int64': 8,
  'Edm.Double': 8,
  'Edm.DateTime': 8,
  'Edm.Guid': 16,
};

function valueBytes({ type, value }: Property): number {
  if (type !== undefined && type in FIXED_BYTES) return FIXED_BYTES[type] ?? 0;
  if (typeof value === 'boolean') return 1;
  if (value instanceof WrittenNumber) return /^-?\d+$/.test(value.source) ? 4 : 8;
  if (typeof value !== 'string') return 0;
  return 4 + (type === 'Edm.Binary' ? Buffer.byteLength(value, 'base64') : 2 * value.length);
}

/** Returns table and partition of an operation on an entity. */
export const partitionOf = (request: Request): string =>
  JSON.stringify([request.resource, keysOf(request).partitionKey]);

/** Returns the keys of an operation on an entity, from its URL or its body. */
export function keysOf({ keys, body }: Request): { partitionKey: unknown; rowKey: unknown } {
  return keys ?? parseEntity(body) ?? { partitionKey: undefined, rowKey: undefined };
}
