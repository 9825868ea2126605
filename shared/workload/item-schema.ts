/** The JSON Schema of a workload's items, where its validator can give one. */
import type { StandardJSONSchemaV1 } from '@standard-schema/spec';
import type { Workload } from './define.ts';

/** A JSON Schema (draft 2020-12) as its validator wrote it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const schemas = new WeakMap<Workload, JsonSchema | false>();

/**
 * Describes an item as it is uploaded, before defaults and transformations, by Standard JSON Schema; undefined where the
 * validator cannot (standardschema.dev/json-schema). What JSON Schema cannot express, such as a date, is left open there.
 */
export function itemSchemaOf(workload: Workload): JsonSchema | undefined {
  let schema = schemas.get(workload);
  if (schema === undefined) {
    schema = describe(workload) ?? false;
    schemas.set(workload, schema);
  }
  return schema === false ? undefined : schema;
}

function describe({ item }: Workload): JsonSchema | undefined {
  const { jsonSchema } = item['~standard'] as Partial<StandardJSONSchemaV1.Props>;
  try {
    // `unrepresentable` is an option of zod; validators ignore options that they do not know.
    return jsonSchema?.input({ target: 'draft-2020-12', libraryOptions: { unrepresentable: 'any' } });
  } catch {
    // The specification lets a validator throw for what it cannot express.
    return undefined;
  }
}
