/** Describes JSON Schemas as the fields of their values. */

/** The part of JSON Schema that zod generates. */
export interface Schema {
  type?: string;
  $ref?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Schema[];
  allOf?: readonly Schema[];
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: Schema | boolean;
  description?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
}

/** A row of a table: the path of a field, and its type and meaning. */
export type Row = readonly [name: string, text: string];

/** Returns the name of a schema in the document. */
export const nameOf = ({ $ref = '' }: Schema): string | undefined => /^#\/components\/schemas\/(\w+)$/.exec($ref)?.[1];

/** Returns a row for each field of an object, with the fields inside of it. */
export function fieldsOf(schema: Schema, path = ''): Row[] {
  if (schema.anyOf) return schema.anyOf.flatMap((each) => fieldsOf(each, path));
  if (schema.items) return fieldsOf(schema.items, `${path}[]`);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]): Row[] => {
    const own = path === '' ? name : `${path}.${name}`;
    const isOptional = !schema.required?.includes(name) && field.default === undefined;
    return [[own, textOf(field, isOptional)], ...fieldsOf(field, own)];
  });
}

function textOf(schema: Schema, isOptional: boolean): string {
  const type = `${typeOf(schema)}${isOptional ? ', optional' : ''}`;
  const description = schema.description ?? schema.anyOf?.find((each) => each.description)?.description;
  return description === undefined ? type : `${type}. ${description}`;
}

/** Describes the type of a value in a few words. */
export function typeOf(schema: Schema): string {
  const name = nameOf(schema);
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`;
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.anyOf) return [...new Set(schema.anyOf.map(typeOf))].join(' or ');
  if (schema.type === 'array') return schema.items ? `list of ${typeOf(schema.items)}` : 'list';
  if (schema.type === 'integer') return `whole number${boundsOf(schema)}`;
  if (schema.type === 'object') return typeof schema.additionalProperties === 'object' ? 'map' : 'object';
  return schema.type === 'string' ? 'text' : (schema.type ?? 'any JSON');
}

/** Numbers that only mean that a double represents the integer are left out. */
function boundsOf({ minimum, maximum = Number.MAX_SAFE_INTEGER }: Schema): string {
  if (maximum < Number.MAX_SAFE_INTEGER) return ` from ${minimum ?? 0} to ${maximum}`;
  return minimum === undefined || minimum <= 0 ? '' : ` from ${minimum}`;
}

/** Returns the names of all schemas to which this one refers, in their order. */
export function namesIn(schema: unknown): string[] {
  const found = JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g);
  return [...new Set([...found].map(([, name = '']) => name))];
}
