/** What a JSON Schema asks of the properties of an item, as far as it decides how the text of a cell is taken. */
import type { JsonSchema } from '../../../workload/item-schema.ts';

/** The types of JSON that a schema allows, as bits. A whole number is INTEGER; a number is INTEGER or FRACTION. */
export const ALLOWS = { string: 1, integer: 2, fraction: 4, boolean: 8, null: 16, other: 32 } as const;
/** What a schema allows that says nothing. */
export const ANY = 63;
const TYPES: Readonly<Record<string, number>> = {
  ...{ string: ALLOWS.string, integer: ALLOWS.integer, number: ALLOWS.integer | ALLOWS.fraction },
  ...{ boolean: ALLOWS.boolean, null: ALLOWS.null, object: ALLOWS.other, array: ALLOWS.other },
};

/** A schema, or undefined where none says anything. */
export type Schema = JsonSchema | boolean | undefined;

/** Reads the schemas of one document; `$ref` is resolved inside it only. */
export class SchemaReader {
  readonly root: Schema;
  /** Of schemas that were asked for: all columns of a record have one, and it may be a long enum. */
  readonly #types = new WeakMap<object, number>();

  constructor(root: Schema) {
    this.root = root;
  }

  /** The types that `schema` allows, as bits of ALLOWS; all where it says nothing. */
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
   * What `schema` says of property `name`: undefined when it says nothing. An alternative that does not mention a property
   * that another one mentions has no say: a member of a discriminated union is not open for the others' properties.
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
   * The members of a schema that is a plain union (or intersection), itself otherwise: none inside another, or those whose
   * properties lead back to them would double with each step of a path.
   */
  #members(schema: Schema, keyword: 'anyOf' | 'allOf', seen = new Set<unknown>()): Schema[] {
    const found = this.#referred(schema);
    if (typeof found !== 'object' || seen.has(found)) return [found];
    const { [keyword]: members, ...others } = found;
    if (!Array.isArray(members) || Object.keys(others).length > 0) return [found];
    const inner = new Set(seen).add(found);
    return (members as Schema[]).flatMap((each) => this.#members(each, keyword, inner));
  }

  /** The schema that one leads to which is a reference and nothing else. */
  #referred(schema: Schema, seen = new Set<unknown>()): Schema {
    if (typeof schema !== 'object' || seen.has(schema)) return schema;
    const { $ref, ...others } = schema;
    if (typeof $ref !== 'string' || Object.keys(others).length > 0) return schema;
    const found = this.#resolve($ref);
    return found === undefined ? schema : this.#referred(found, seen.add(schema));
  }

  /** Whether an object must have property `name`. */
  requires(schema: Schema, name: string, seen = new Set<unknown>()): boolean {
    if (typeof schema !== 'object' || seen.has(schema)) return false;
    const inner = new Set(seen).add(schema);
    const required = (each: Schema): boolean => this.requires(each, name, inner);
    if (Array.isArray(schema.required) && schema.required.includes(name)) return true;
    return this.parts(schema).some(required) || choicesOf(schema).some((choice) => choice.every(required));
  }

  /** The names of the properties that `schema` mentions. */
  names(schema: Schema, seen = new Set<unknown>()): Set<string> {
    if (typeof schema !== 'object' || seen.has(schema)) return new Set();
    const inner = new Set(seen).add(schema);
    const parts = [...this.parts(schema), ...choicesOf(schema).flat()];
    return new Set([
      ...Object.keys(asObject(schema.properties)),
      ...parts.flatMap((each) => [...this.names(each, inner)]),
    ]);
  }

  /** Schemas that hold beside this one: what it refers to, and what it is the intersection of. */
  parts(schema: JsonSchema): Schema[] {
    const referred = typeof schema.$ref === 'string' ? [this.#resolve(schema.$ref)] : [];
    return [...referred, ...(Array.isArray(schema.allOf) ? (schema.allOf as Schema[]) : [])];
  }

  /** The schema at a JSON pointer such as `#/$defs/Address`; undefined for any other reference. */
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

/** The unions of a schema: one member of each holds. */
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

/** `additionalProperties: false` says nothing of a property that is not there: its cells stay text. */
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
