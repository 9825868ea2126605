import type { JsonSchema } from '../../shared/workload/item-schema.ts';

/** A field that a schema knows; `path` has dots. */
export interface SchemaField {
  path: string;
  isRequired: boolean;
  schema: JsonSchema;
}

/** The fields of objects in a JSON Schema, down to what is no object; empty where it does not say. */
export function fieldsOf(schema: JsonSchema | undefined, prefix = '', isRequired = true): SchemaField[] {
  const { properties, required = [] } = (schema ?? {}) as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties ?? {}).flatMap(([name, property]) => {
    const path = prefix + name;
    const isNeeded = isRequired && required.includes(name);
    const inner = fieldsOf(property, `${path}.`, isNeeded);
    return inner.length > 0 ? inner : [{ path, isRequired: isNeeded, schema: property }];
  });
}

/** Whether the text of a cell may be a value of a field; true where the schema does not say. */
export function mayHold({ schema }: SchemaField, text: string, decimal: '.' | ','): boolean {
  const { type, enum: values, pattern } = schema as { type?: string; enum?: unknown[]; pattern?: string };
  if (values !== undefined) return values.includes(text);
  if (type === 'number' || type === 'integer')
    return text !== '' && Number.isFinite(Number(decimal === ',' ? text.replace(',', '.') : text));
  if (type === 'boolean') return /^(true|false)$/i.test(text);
  if (type === 'object' || type === 'array') return false;
  return pattern === undefined || matches(pattern, text);
}

function matches(pattern: string, text: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}

/** The value at a path with dots, of which some may belong to a name: `No.` is a usual header. */
export function valueAt(item: unknown, path: string): unknown {
  if (typeof item !== 'object' || item === null) return undefined;
  if (Object.hasOwn(item, path)) return (item as Record<string, unknown>)[path];
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    const value = valueAt((item as Record<string, unknown>)[path.slice(0, dot)], path.slice(dot + 1));
    if (value !== undefined) return value;
  }
  return undefined;
}
