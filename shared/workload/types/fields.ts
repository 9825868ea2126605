import type { JsonSchema } from '../item-schema.ts';
import { cellJson } from './cells.ts';
import { ownTypes, type Schema, SchemaReader } from './schema-reader.ts';
import { NUMBER, typeOf } from './types.ts';

/** A field of a schema; `path` consists of names separated by dots. */
export interface SchemaField {
  path: string;
  isRequired: boolean;
  schema: Schema;
  /** Reads the document that contains the schema. */
  reader: SchemaReader;
}

/** Maximum depth of a path, because a recursive schema is infinite; headers are never this deep. */
const MAX_STEPS = 10;
/** With more fields than this, no further level is expanded: the fields of a recursive schema multiply with each level. */
const MAX_FIELDS = 1_000;

/** Returns the leaf fields of a JSON Schema; empty if it does not list any. */
export function fieldsOf(schema: JsonSchema | undefined): SchemaField[] {
  const reader = new SchemaReader(schema);
  let fields = membersOf({ path: '', isRequired: true, schema, reader });
  for (let steps = 1; steps < MAX_STEPS && fields.length < MAX_FIELDS; steps++)
    fields = fields.flatMap((field) => {
      const members = membersOf(field);
      return members.length > 0 ? members : [field];
    });
  return fields;
}

const membersOf = ({ path, isRequired, schema, reader }: SchemaField): SchemaField[] =>
  [...reader.names(schema)].map((name) => ({
    path: path === '' ? name : `${path}.${name}`,
    isRequired: isRequired && reader.requires(schema, name),
    schema: reader.property(schema, name),
    reader,
  }));

/** Whether the text of a cell may be a value of a field; true if the schema does not restrict it. */
export function mayHold({ schema, reader }: SchemaField, text: string, decimal: '.' | ','): boolean {
  const value: unknown = JSON.parse(cellJson(text, { types: reader.types(schema), decimal }));
  return reader.ask(schema, {
    own: (each) => isAllowed(each, value),
    all: (answers) => !answers.includes(false),
    any: (answers) => answers.includes(true),
    plain: (each) => each !== false,
  });
}

/** Whether the types, values and pattern of a schema allow a text, number or boolean. */
function isAllowed(schema: JsonSchema, value: unknown): boolean {
  const { enum: values, const: only, pattern } = schema;
  const type = typeOf(value) & NUMBER ? NUMBER : typeOf(value);
  if ((ownTypes(schema) & type) === 0) return false;
  if (Array.isArray(values) && !values.includes(value)) return false;
  if (only !== undefined && only !== value) return false;
  return typeof pattern !== 'string' || typeof value !== 'string' || matches(pattern, value);
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

/** A text that no enum and hardly any pattern allows. */
const UNLIKELY_TEXT = '\u0001';

/** Whether any text may be a value of a field. */
export const mayHoldAnyText = (field: SchemaField): boolean => mayHold(field, UNLIKELY_TEXT, '.');

/** Returns the value at a path. A dot may also be part of a name: `No.` is a common header. */
export function valueAt(item: unknown, path: string): unknown {
  if (typeof item !== 'object' || item === null) return undefined;
  if (Object.hasOwn(item, path)) return (item as Record<string, unknown>)[path];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const value = valueAt((item as Record<string, unknown>)[path.slice(0, dot)], path.slice(dot + 1));
    if (value !== undefined) return value;
  }
  return undefined;
}
