/** Reads what a JSON Schema requires of the properties of an item, as far as it affects how cells are converted. */
import type { JsonSchema } from '../../../workload/item-schema.ts';

/** The JSON types that a schema allows, as bits. A whole number is INTEGER; any other number is FRACTION. */
export const ALLOWS = { string: 1, integer: 2, fraction: 4, boolean: 8, null: 16, other: 32 } as const;
/** The types that a schema without restrictions allows. */
export const ANY = 63;
const TYPES: Readonly<Record<string, number>> = {
  ...{ string: ALLOWS.string, integer: ALLOWS.integer, number: ALLOWS.integer | ALLOWS.fraction },
  ...{ boolean: ALLOWS.boolean, null: ALLOWS.null, object: ALLOWS.other, array: ALLOWS.other },
};

/** A schema; undefined means no restrictions. */
export type Schema = JsonSchema | boolean | undefined;

/** Reads the schemas of one document; `$ref` is resolved only inside of it. */
export class SchemaReader {
  readonly root: Schema;
  /** Cache of `types`: all columns of a record may have the same schema, which may be a long enum. */
  readonly #types = new WeakMap<object, number>();

  constructor(root: Schema) {
    this.root = root;
  }

  /** Returns the types that `schema` allows, as bits of ALLOWS; all if it has no restrictions. */
  types(schema: Schema): number {
    if (typeof schema !== 'object') return this.#typesOf(schema, new Set());
    const types = this.#types.get(schema) ?? this.#typesOf(schema, new Set());
    this.#types.set(schema, types);
    return types;
  }

  #typesOf(schema: Schema, seen: ReadonlySet<unknown>): number {
    if (typeof schema === 'boolean') return schema ? ANY : 0;
    if (schema === undefined || seen.has(schema)) return ANY;
    const inner = new Set(seen).add(schema);
    const union = (all: readonly Schema[]): number => all.reduce((bits, one) => bits | this.#typesOf(one, inner), 0);
    let types = ANY;
    if (schema.type !== undefined) types &= typesOfNames(schema.type);
    if (schema.const !== undefined) types &= typeOfValue(schema.const);
    if (Array.isArray(schema.enum)) types &= schema.enum.reduce((bits: number, one) => bits | typeOfValue(one), 0);
    for (const choice of [schema.anyOf, schema.oneOf]) if (Array.isArray(choice)) types &= union(choice);
    for (const each of this.parts(schema)) types &= this.#typesOf(each, inner);
    return types;
  }

  /**
   * Returns the schema of property `name` in `schema`; undefined if there is none. In a union, alternatives that do not
   * mention the property are ignored if another one does: a member of a discriminated union does not allow the properties
   * of the others.
   */
  property(schema: Schema, name: string, seen = new Set<unknown>()): Schema {
    if (typeof schema !== 'object' || seen.has(schema)) return undefined;
    const inner = new Set(seen).add(schema);
    const said = [ownProperty(schema, name), ...this.parts(schema).map((each) => this.property(each, name, inner))];
    for (const choice of choicesOf(schema)) {
      const found = choice.map((each) => this.property(each, name, inner)).filter(isSaid);
      const alternatives = [...new Set(found.flatMap((each) => this.#members(each, 'anyOf')))];
      if (alternatives.length > 0) said.push(alternatives.length > 1 ? { anyOf: alternatives } : alternatives[0]);
    }
    const all = [...new Set(said.filter(isSaid).flatMap((each) => this.#members(each, 'allOf')))];
    return all.length > 1 ? { allOf: all } : all[0];
  }

  /**
   * Returns the members of a schema that is only a union (or intersection); otherwise the schema itself. Nested ones are
   * flattened: for schemas whose properties refer back to them, the nesting would double with each step of a path.
   */
  #members(schema: Schema, keyword: 'anyOf' | 'allOf', seen = new Set<unknown>()): Schema[] {
    const found = this.#referred(schema);
    if (typeof found !== 'object' || seen.has(found)) return [found];
    const { [keyword]: members, ...others } = found;
    if (!Array.isArray(members) || Object.keys(others).length > 0) return [found];
    const inner = new Set(seen).add(found);
    return (members as Schema[]).flatMap((each) => this.#members(each, keyword, inner));
  }

  /** Follows a schema that is only a reference, and returns the schema that it refers to. */
  #referred(schema: Schema, seen = new Set<unknown>()): Schema {
    if (typeof schema !== 'object' || seen.has(schema)) return schema;
    const { $ref, ...others } = schema;
    if (typeof $ref !== 'string' || Object.keys(others).length > 0) return schema;
    const found = this.#resolve($ref);
    return found === undefined ? schema : this.#referred(found, seen.add(schema));
  }

  /** Whether the schema requires an object to have property `name`. */
  requires(schema: Schema, name: string, seen = new Set<unknown>()): boolean {
    if (typeof schema !== 'object' || seen.has(schema)) return false;
    const inner = new Set(seen).add(schema);
    const required = (each: Schema): boolean => this.requires(each, name, inner);
    if (Array.isArray(schema.required) && schema.required.includes(name)) return true;
    return this.parts(schema).some(required) || choicesOf(schema).some((choice) => choice.every(required));
  }

  /** Returns the names of the properties that `schema` mentions. */
  names(schema: Schema, seen = new Set<unknown>()): Set<string> {
    if (typeof schema !== 'object' || seen.has(schema)) return new Set();
    const inner = new Set(seen).add(schema);
    const parts = [...this.parts(schema), ...choicesOf(schema).flat()];
    return new Set([
      ...Object.keys(asObject(schema.properties)),
      ...parts.flatMap((each) => [...this.names(each, inner)]),
    ]);
  }

  /** Returns the schemas that apply together with this one: the schema that it refers to, and the members of `allOf`. */
  parts(schema: JsonSchema): Schema[] {
    const referred = typeof schema.$ref === 'string' ? [this.#resolve(schema.$ref)] : [];
    return [...referred, ...(Array.isArray(schema.allOf) ? (schema.allOf as Schema[]) : [])];
  }

  /** Resolves a JSON pointer such as `#/$defs/Address`; undefined for any other reference. */
  #resolve(reference: string): Schema {
    if (!reference.startsWith('#')) return undefined;
    const steps = reference.slice(1).split('/').slice(1).map(decodeStep);
    const found = steps.reduce<unknown>((at, step) => asObject(at)[step], this.root);
    return typeof found === 'boolean' || (typeof found === 'object' && found !== null) ? (found as Schema) : undefined;
  }
}

const isSaid = (schema: Schema): boolean => schema !== undefined;

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Returns the unions of a schema: an item must match one member of each. */
export const choicesOf = ({ anyOf, oneOf }: JsonSchema): Schema[][] =>
  [anyOf, oneOf].filter((choice): choice is Schema[] => Array.isArray(choice));

function decodeStep(step: string): string {
  const plain = step.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

/**
 * Returns the schema of a property. `additionalProperties: false` gives none for an unknown property: its cells stay text.
 */
function ownProperty({ properties, additionalProperties: additional }: JsonSchema, name: string): Schema {
  const known = asObject(properties);
  if (Object.hasOwn(known, name)) return known[name] as Schema;
  return typeof additional === 'object' && additional !== null ? (additional as JsonSchema) : undefined;
}

const typesOfNames = (type: unknown): number =>
  (Array.isArray(type) ? type : [type]).reduce((bits: number, name) => bits | (TYPES[String(name)] ?? 0), 0);

function typeOfValue(value: unknown): number {
  if (value === null) return ALLOWS.null;
  if (typeof value === 'number') return Number.isInteger(value) ? ALLOWS.integer : ALLOWS.fraction;
  return TYPES[typeof value] ?? ALLOWS.other;
}
