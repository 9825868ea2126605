import type { JsonSchema } from '../../shared/workload/item-schema.ts';

/** The guessed type of a field. */
export type FieldType = 'text' | 'enum' | 'time' | 'integer' | 'number' | 'boolean' | 'object' | 'other';

/** The guessed schema of a field. */
export interface Guess {
  type: FieldType;
  /** Source text of the zod schema. */
  zod: string;
  json: JsonSchema;
  /** A remark on the guess, for a comment. */
  note?: string;
}
