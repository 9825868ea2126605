/** The JSON Schemas in docs/contract, generated from the schemas that the code reads with. */
import { z } from 'zod';
import { eventSchema } from '../../../shared/contract/events.ts';
import { outcomeHeaderSchema } from '../../../shared/contract/outcome.ts';
import { blobReferenceSchema, referenceSchema, resultSchema } from '../../../shared/contract/reference.ts';

const schemas = {
  'reference.v1': ['A reference: the message that represents one chunk', referenceSchema],
  'reference.v2': ['A reference of version 2: the message for a blob that becomes a batch', blobReferenceSchema],
  'result.v1': ['A result message: the chunks that one round has finished', resultSchema],
  'event.v1': ['The body of an event on the topic', eventSchema],
  'outcome.v1': ['The header of an outcome blob, in its metadata', outcomeHeaderSchema],
} as const;

/** By file name. Unknown fields are allowed, because a newer writer of the same version may add some. */
export const publishedSchemas = (): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(schemas).map(([name, [title, schema]]) => [
      `${name}.schema.json`,
      { title, ...z.toJSONSchema(schema, { io: 'input' }) },
    ]),
  );
