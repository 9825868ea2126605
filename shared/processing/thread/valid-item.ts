import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InvalidItem, toErrorText } from '../outcome/error-text.ts';
import { itemOf, type Source } from '../sources.ts';
import { isPromise } from './flight.ts';

const MAX_ISSUES = 5;

/**
 * The item as its schema makes it, a promise of it if the schema is asynchronous.
 * @throws InvalidItem naming the paths, also for a line that is not JSON; and whatever the schema itself throws.
 */
export function validItem(schema: StandardSchemaV1, source: Source): unknown | PromiseLike<unknown> {
  const checked = schema['~standard'].validate(readItem(source));
  return isPromise(checked) ? checked.then(valueIn) : valueIn(checked as StandardSchemaV1.Result<unknown>);
}

function readItem(source: Source): unknown {
  try {
    return itemOf(source);
  } catch (error) {
    throw new InvalidItem(`The line is not JSON: ${toErrorText(error).message}`);
  }
}

function valueIn(checked: unknown): unknown {
  const result = checked as StandardSchemaV1.Result<unknown>;
  if (result.issues) throw new InvalidItem(issuesText(result.issues));
  return result.value;
}

/** The issues in one line: `customer.id: Expected string; lines[3].qty: Too small`. */
export function issuesText(issues: readonly StandardSchemaV1.Issue[]): string {
  const told = issues.slice(0, MAX_ISSUES).map(({ path, message }) => {
    const at = pathText(path ?? []);
    return at === '' ? message : `${at}: ${message}`;
  });
  const more = issues.length - told.length;
  return told.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

function pathText(path: NonNullable<StandardSchemaV1.Issue['path']>): string {
  const keys = path.map((segment) => (typeof segment === 'object' ? segment.key : segment));
  return keys.map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i === 0 ? '' : '.'}${String(key)}`)).join('');
}
