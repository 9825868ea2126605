import type { JsonSchema } from '../../shared/workload/item-schema.ts';

/** What the values at a place were taken for. */
export type FieldType = 'text' | 'enum' | 'time' | 'integer' | 'number' | 'boolean' | 'object' | 'other';

/** A place in an item. */
export interface Guess {
  type: FieldType;
  /** Source text. */
  zod: string;
  json: JsonSchema;
  /** What was guessed, for a comment. */
  note?: string;
}
