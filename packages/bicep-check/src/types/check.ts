/** Checks the resources of the deployment against type definitions. */
import type { DeployedResource } from '../expand/template.ts';
import { type Definition, type Definitions, follow, type RawType, READ_ONLY, REQUIRED } from './definitions.ts';

/** The result of a check. */
export interface Checked {
  /** Problems, each with its path in the resource. */
  faults: string[];
  /** Checked values: kind by path. Items of arrays are `[]`, arbitrary keys `*`. */
  seen: Map<string, string>;
}

/** Whether a value is known only at deployment; it is valid for any type. */
export const isReference = (value: unknown): boolean => typeof value === 'string' && /^\[\w+\(.*\).*\]/.test(value);

/**
 * Checks one resource: it must have no unknown or read-only properties at any depth, all required ones, values of the right
 * types, allowed literals, and numbers and lengths within bounds.
 */
export function checkResource(resource: DeployedResource, definitions: Definitions): Checked {
  const reference = `${resource.type}@${resource.apiVersion}`;
  const checked: Checked = { faults: [], seen: new Map() };
  const definition = definitions(reference);
  if (definition === undefined) checked.faults.push(`there is no type ${reference}`);
  else checkValue('', resource.body, definition, checked);
  return checked;
}

/** Returns a path below another. */
export const below = (path: string, key: string): string => (path === '' ? key : `${path}/${key}`);

function checkValue(path: string, value: unknown, definition: Definition, checked: Checked): void {
  const { kind, wanted } = judge(value, definition);
  if (kind === undefined) {
    checked.faults.push(`${path || 'the resource'}: expected ${wanted}, got ${JSON.stringify(value)}`);
    return;
  }
  const before = checked.seen.get(path);
  checked.seen.set(path, before === undefined ? kind : merged(before, kind));
  if (!isReference(value)) checkInside(path, value, definition, checked);
}

/** Checks the content of a value that has a valid type. */
function checkInside(path: string, value: unknown, { type, list }: Definition, checked: Checked): void {
  if (type.$type === 'ArrayType' && Array.isArray(value)) {
    for (const item of value) checkValue(`${path}[]`, item, follow(list, type.itemType), checked);
  }
  if (type.$type === 'ObjectType' && isRecord(value)) checkProperties(path, value, type, list, checked);
  if (type.$type === 'DiscriminatedObjectType' && isRecord(value)) {
    const kind = String(value[type.discriminator]);
    const variant = follow(list, type.elements[kind] ?? { $ref: '' }).type;
    if (variant.$type !== 'ObjectType') throw new Error(`Expected an object as variant ${kind}, got ${variant.$type}.`);
    const properties = { ...type.baseProperties, ...variant.properties };
    checkProperties(`${path}(${kind})`, value, { ...variant, properties }, list, checked);
  }
}

/** Returns the kind of a value that matches a type, otherwise the expectation of the type. Does not check nested values. */
interface Judged {
  kind?: string;
  wanted?: string;
}
const accept = (holds: boolean, kind: string, wanted: string): Judged => (holds ? { kind } : { wanted });

function judge(value: unknown, { type, list }: Definition): Judged {
  if (isReference(value)) return { kind: 'reference' };
  switch (type.$type) {
    case 'AnyType':
      return { kind: 'any' };
    case 'NullType':
      return accept(value === null, 'null', 'null');
    case 'BooleanType':
      return accept(typeof value === 'boolean', 'boolean', 'true or false');
    case 'IntegerType':
      return accept(typeof value === 'number' && within(value, type.minValue, type.maxValue), 'integer', numbers(type));
    case 'StringType':
      return judgeText(value, type);
    case 'StringLiteralType':
      return accept(value === type.value, `one of ${JSON.stringify([value])}`, `"${type.value}"`);
    case 'UnionType':
      return judgeUnion(
        value,
        type.elements.map((element) => follow(list, element)),
      );
    case 'ArrayType': {
      const { minLength = 0, maxLength = Infinity } = type;
      const holds = Array.isArray(value) && within(value.length, minLength, maxLength);
      return accept(holds, 'array', `an array of ${minLength} to ${maxLength} items`);
    }
    case 'ObjectType':
      return accept(isRecord(value), 'object', 'an object');
    case 'DiscriminatedObjectType': {
      const kinds = Object.keys(type.elements);
      const holds = isRecord(value) && kinds.includes(String(value[type.discriminator]));
      return accept(holds, `object by ${type.discriminator}`, `"${type.discriminator}" as one of ${kinds.join(', ')}`);
    }
    default:
      return { wanted: `a value, which a ${type.$type} has not` };
  }
}

const within = (value: number, least = -Infinity, most = Infinity): boolean => value >= least && value <= most;
const numbers = ({ minValue = -Infinity, maxValue = Infinity }: { minValue?: number; maxValue?: number }): string =>
  `a number from ${minValue} to ${maxValue}`;

function judgeText(value: unknown, type: RawType & { $type: 'StringType' }): Judged {
  const { minLength = 0, maxLength = Infinity, pattern } = type;
  if (typeof value !== 'string') return { wanted: 'a text' };
  // The length of a text that contains an address is known only to Azure.
  if (value.includes('[reference(')) return { kind: 'string' };
  if (!within(value.length, minLength, maxLength)) return { wanted: `${minLength} to ${maxLength} characters` };
  return accept(pattern === undefined || new RegExp(pattern).test(value), 'string', `a text like ${pattern}`);
}

function judgeUnion(value: unknown, elements: readonly Definition[]): Judged {
  const found = elements.map((element) => judge(value, element)).find(({ kind }) => kind !== undefined);
  const literals = elements.flatMap(({ type }) => (type.$type === 'StringLiteralType' ? [type.value] : []));
  if (found === undefined) return { wanted: `one of ${literals.join(', ')}` };
  // A union that accepts any text lists literals only as examples.
  return elements.some(({ type }) => type.$type === 'StringType') ? { kind: 'string' } : found;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function checkProperties(
  path: string,
  value: Readonly<Record<string, unknown>>,
  { properties, additionalProperties: more }: RawType & { $type: 'ObjectType' },
  list: readonly RawType[],
  checked: Checked,
): void {
  for (const [key, entry] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    const place = below(path, key);
    if (property === undefined) {
      if (more === undefined) checked.faults.push(`${place}: unknown property`);
      else checkValue(below(path, '*'), entry, follow(list, more), checked);
    } else if ((property.flags & READ_ONLY) !== 0) {
      checked.faults.push(`${place}: is read-only`);
    } else if (entry !== null || (property.flags & REQUIRED) !== 0) {
      // An optional property that is null is not sent.
      checkValue(place, entry, follow(list, property.type), checked);
      if ((property.flags & REQUIRED) !== 0) markRequired(place, checked);
    }
  }
  for (const [key, { flags }] of Object.entries(properties)) {
    const wanted = (flags & REQUIRED) !== 0 && (flags & READ_ONLY) === 0;
    if (wanted && !Object.hasOwn(value, key)) checked.faults.push(`${below(path, key)}: is missing`);
  }
}

function markRequired(path: string, { seen }: Checked): void {
  const kind = seen.get(path);
  if (kind !== undefined && !kind.startsWith('required ')) seen.set(path, `required ${kind}`);
}

const LITERALS = /one of (\[.*?\])/;
/** Returns the words of a kind. */
export const literals = (kind: string): string[] => JSON.parse(LITERALS.exec(kind)?.[1] ?? '[]') as string[];

/** Merges two kinds. */
export function merged(one: string, other: string): string {
  const required = [one, other].some((kind) => kind.startsWith('required '));
  const values = [...new Set([...literals(one), ...literals(other)])].sort();
  const kinds = [one, other].flatMap((kind) =>
    kind
      .replace(/^required /, '')
      .replace(LITERALS, '')
      .split(' | '),
  );
  const all = [...new Set(kinds.filter((kind) => kind !== ''))].sort();
  if (values.length > 0) all.push(`one of ${JSON.stringify(values)}`);
  return `${required ? 'required ' : ''}${all.join(' | ')}`;
}
