/** Reads what a JSON Schema requires of the properties of an item, as far as it affects their types. */
import type { JsonSchema } from '../item-schema.ts';
import { ANY, NAMED_TYPES, typeOf, typesOf } from './types.ts';

/** A schema; undefined means no restrictions. */
export type Schema = JsonSchema | boolean | undefined;

/** How a question to a schema is answered from the answers of its parts. */
export interface Question<T> {
  /** What the keywords of a schema say, without those that contain further schemas for the same value. */
  own: (schema: JsonSchema) => T;
  /** The answer of schemas that apply together. */
  all: (answers: readonly T[]) => T;
  any: (answers: readonly T[]) => T;
  /** The answer of a schema without keywords, or of one that refers back to itself. */
  plain: (schema: boolean | undefined) => T;
}

/** Reads the schemas of one document; `$ref` is resolved only inside of it. */
export class SchemaReader {
  readonly root: Schema;
  /** Cache of `types`: all columns of a record may have the same schema, which may be a long enum. */
  readonly #types = new WeakMap<object, number>();

  constructor(root: Schema) {
    this.root = root;
  }

  /** Returns the types that `schema` allows, as bits of TYPES; all if it has no restrictions. */
  types(schema: Schema): number {
    const known = typeof schema === 'object' ? this.#types.get(schema) : undefined;
    const types = known ?? this.ask(schema, ALLOWED_TYPES);
    if (typeof schema === 'object') this.#types.set(schema, types);
    return types;
  }

  /** Whether the schema requires an object to have property `name`. */
  requires(schema: Schema, name: string): boolean {
    const own = ({ required }: JsonSchema): boolean => Array.isArray(required) && required.includes(name);
    const some = (answers: readonly boolean[]): boolean => answers.includes(true);
    return this.ask(schema, { own, all: some, any: (answers) => !answers.includes(false), plain: () => false });
  }

  /** Returns the names of the properties that `schema` mentions. */
  names(schema: Schema): Set<string> {
    const union = (all: readonly Set<string>[]): Set<string> => new Set(all.flatMap((names) => [...names]));
    const own = ({ properties }: JsonSchema): Set<string> => new Set(Object.keys(asObject(properties)));
    return this.ask(schema, { own, all: union, any: union, plain: () => new Set<string>() });
  }

  /**
   * Returns the schema of property `name` in `schema`; undefined if there is none. In a union, alternatives that do not
   * mention the property are ignored if another one does: a member of a discriminated union does not allow the properties
   * of the others.
   */
  property(schema: Schema, name: string): Schema {
    return this.ask<Schema>(schema, {
      own: (each) => ownProperty(each, name),
      all: (said) => this.#joined('allOf', said),
      any: (said) => this.#joined('anyOf', said),
      plain: () => undefined,
    });
  }

  ask<T>(schema: Schema, question: Question<T>, seen: ReadonlySet<unknown> = new Set()): T {
    if (typeof schema !== 'object') return question.plain(schema);
    if (seen.has(schema)) return question.plain(undefined);
    const inner = new Set(seen).add(schema);
    const ask = (each: Schema): T => this.ask(each, question, inner);
    const { $ref, allOf, anyOf, oneOf } = schema;
    const parts = [...(typeof $ref === 'string' ? [this.#resolve($ref)] : []), ...listOf(allOf)];
    const choices = [anyOf, oneOf].filter(Array.isArray).map((choice) => question.any(choice.map(ask)));
    return question.all([question.own(schema), ...parts.map(ask), ...choices]);
  }

  /** Returns one schema for several of the same property. */
  #joined(keyword: 'anyOf' | 'allOf', said: readonly Schema[]): Schema {
    const known = said.filter((each) => each !== undefined);
    const all = [...new Set(known.flatMap((each) => this.#members(each, keyword)))];
    return all.length > 1 ? { [keyword]: all } : all[0];
  }

  /**
   * Returns the members of a schema that is only a union (or intersection); otherwise the schema itself. Nested ones are
   * flattened: for schemas whose properties refer back to them, the nesting would double with each step of a path.
   */
  #members(schema: Schema, keyword: 'anyOf' | 'allOf', seen: ReadonlySet<unknown> = new Set()): Schema[] {
    const found = this.#referred(schema);
    if (typeof found !== 'object' || seen.has(found)) return [found];
    const { [keyword]: members, ...others } = found;
    if (!Array.isArray(members) || Object.keys(others).length > 0) return [found];
    const inner = new Set(seen).add(found);
    return listOf(members).flatMap((each) => this.#members(each, keyword, inner));
  }

  /** Follows a schema that is only a reference, and returns the schema that it refers to. */
  #referred(schema: Schema, seen = new Set<unknown>()): Schema {
    if (typeof schema !== 'object' || seen.has(schema)) return schema;
    const { $ref, ...others } = schema;
    if (typeof $ref !== 'string' || Object.keys(others).length > 0) return schema;
    const found = this.#resolve($ref);
    return found === undefined ? schema : this.#referred(found, seen.add(schema));
  }

  /** Resolves a JSON pointer such as `#/$defs/Address`; undefined for any other reference. */
  #resolve(reference: string): Schema {
    if (!reference.startsWith('#')) return undefined;
    const steps = reference.slice(1).split('/').slice(1).map(decodeStep);
    const found = steps.reduce<unknown>((at, step) => asObject(at)[step], this.root);
    return typeof found === 'boolean' || (typeof found === 'object' && found !== null) ? (found as Schema) : undefined;
  }
}

/** Returns the types that the keywords of a schema allow, without those that contain further schemas. */
export const ownTypes = ({ type, const: only, enum: values }: JsonSchema): number =>
  (type === undefined ? ANY : typesOfNames(type)) &
  (only === undefined ? ANY : typeOf(only)) &
  (Array.isArray(values) ? typesOf(values) : ANY);

const ALLOWED_TYPES: Question<number> = {
  own: ownTypes,
  all: (answers) => answers.reduce((types, each) => types & each, ANY),
  any: (answers) => answers.reduce((types, each) => types | each, 0),
  plain: (schema) => (schema === false ? 0 : ANY),
};

const listOf = (schemas: unknown): readonly Schema[] => (Array.isArray(schemas) ? schemas : []);

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

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
  (Array.isArray(type) ? type : [type]).reduce((bits: number, name) => bits | (NAMED_TYPES[String(name)] ?? 0), 0);
