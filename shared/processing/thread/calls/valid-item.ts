import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InvalidItem, validateItem } from '../../../workload/validate-item.ts';
import { toErrorText } from '../../outcome/error-text.ts';
import { itemOf, type Source } from '../../sources.ts';

/**
 * Returns the item as converted by its schema; a promise of it if the schema is asynchronous.
 * @throws InvalidItem with the paths, also for a line that is not JSON; and any error that the schema itself throws.
 */
export const validItem = (schema: StandardSchemaV1, source: Source): unknown | PromiseLike<unknown> =>
  validateItem(schema, readItem(source));

function readItem(source: Source): unknown {
  try {
    return itemOf(source);
  } catch (error) {
    throw new InvalidItem(`The line is not JSON: ${toErrorText(error).message}`);
  }
}
