import type { JsonSchema } from '../item-schema.ts';

export interface Reading {
  /** Whether every value is a text, as in CSV, so that numbers and booleans must be recognized in texts. */
  fromText: boolean;
  decimal: '.' | ',';
}

/** The guessed type of some values. */
export interface Guess {
  type: 'text' | 'enum' | 'time' | 'integer' | 'number' | 'boolean' | 'object' | 'array' | 'map' | 'mixed' | 'unknown';
  json: JsonSchema;
  note?: string;
  fields?: readonly Field[];
  /** The elements of an array, or the values of a map; absent if nothing is known of them. */
  element?: Guess;
  isNullable?: boolean;
  /** The values without null. Numbers in texts are converted. */
  values?: readonly unknown[];
}

export interface Field extends Guess {
  name: string;
  isOptional: boolean;
  values: readonly unknown[];
}
