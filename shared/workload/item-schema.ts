/** The JSON Schema of a workload's items, if its validator provides one. */
import type { StandardJSONSchemaV1 } from '@standard-schema/spec';
import type { Workload } from './define.ts';

/** A JSON Schema (draft 2020-12) as the validator created it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

const schemas = new WeakMap<Workload, { schema: JsonSchema | undefined }>();

/**
 * Returns the schema of an item as it is uploaded, before defaults and transformations, according to Standard JSON
 * Schema (standardschema.dev/json-schema), or undefined if the validator does not support it. The schema permits any
 * value where JSON Schema cannot express the type, such as a date.
 */
export function itemSchemaOf(workload: Workload): JsonSchema | undefined {
  const known = schemas.get(workload) ?? { schema: describe(workload) };
  schemas.set(workload, known);
  return known.schema;
}

function describe({ item }: Workload): JsonSchema | undefined {
  const { jsonSchema } = item['~standard'] as Partial<StandardJSONSchemaV1.Props>;
  try {
    // `unrepresentable` is an option of zod; validators ignore unknown options.
    return jsonSchema?.input({ target: 'draft-2020-12', libraryOptions: { unrepresentable: 'any' } });
  } catch {
    // The specification permits a validator to throw for a schema that it cannot express.
    return undefined;
  }
}
