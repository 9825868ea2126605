/**
 * Validates an item with its workload's schema. Uploads with `validateAtIntake` and processed items use the same rules.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Issue } from '../contract/outcome.ts';

const MAX_SHOWN = 5;
/** An array of thousands of invalid rows has an issue for each. */
const MAX_ISSUES = 100;
const MAX_PATH_CHARS = 200;
const MAX_ISSUE_CHARS = 500;
/** Maximum length of all issues of an item together; the same as for any other error. */
const MAX_ISSUES_CHARS = 8_000;

/**
 * An item does not fit the workload's schema. The message contains the first paths, `issues` all issues that are kept.
 */
export class InvalidItem extends Error {
  override name = 'InvalidItem';
  readonly issues: readonly Issue[];
  readonly moreIssues: number;
  constructor(message: string, issues: readonly Issue[] = [], moreIssues = 0) {
    super(message);
    this.issues = issues;
    this.moreIssues = moreIssues;
  }
}

/**
 * Returns the item as its schema transforms it, or a promise of it if the schema is asynchronous.
 * @throws InvalidItem with the paths; errors that the schema itself throws
 */
export function validateItem(schema: StandardSchemaV1, item: unknown): unknown | PromiseLike<unknown> {
  const checked = schema['~standard'].validate(item);
  return isPromise(checked) ? checked.then(valueIn) : valueIn(checked as StandardSchemaV1.Result<unknown>);
}

/** The part of zod's schemas that is not in the standard. */
interface ZodSchema {
  safeParseAsync(item: unknown): Promise<{ data?: unknown; error?: { issues: readonly StandardSchemaV1.Issue[] } }>;
}

const isZodSchema = (schema: StandardSchemaV1): schema is StandardSchemaV1 & ZodSchema =>
  schema['~standard'].vendor === 'zod' && 'safeParseAsync' in schema;

/**
 * Validates like `validateItem`, for the main thread, in which an unhandled rejection terminates the process. zod first
 * tries every item synchronously. At an asynchronous check it starts again, and does not handle the promise of the
 * first try. Therefore this calls zod's asynchronous method, which takes about twice as long.
 */
export async function validateItemSafely(schema: StandardSchemaV1, item: unknown): Promise<unknown> {
  if (!isZodSchema(schema)) return validateItem(schema, item);
  const { data: value, error } = await schema.safeParseAsync(item);
  return valueIn(error === undefined ? { value } : { issues: error.issues });
}

/**
 * Whether a value must be awaited. Most light handlers are synchronous, and an await per item would halve their speed.
 */
export const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  value instanceof Promise ||
  (typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function');

function valueIn(checked: unknown): unknown {
  const result = checked as StandardSchemaV1.Result<unknown>;
  if (result.issues) throw invalid(result.issues);
  return result.value;
}

function invalid(found: readonly StandardSchemaV1.Issue[]): InvalidItem {
  const issues: Issue[] = [];
  let chars = 0;
  for (const { path, message } of found.slice(0, MAX_ISSUES)) {
    const issue = { path: pathText(keysOf(path)).slice(0, MAX_PATH_CHARS), message: message.slice(0, MAX_ISSUE_CHARS) };
    chars += issue.path.length + issue.message.length;
    if (chars > MAX_ISSUES_CHARS) break;
    issues.push(issue);
  }
  const moreIssues = found.length - issues.length;
  return new InvalidItem(issuesText(issues, found.length), issues, moreIssues);
}

const keysOf = (path: StandardSchemaV1.Issue['path']): PropertyKey[] =>
  (path ?? []).map((segment) => (typeof segment === 'object' ? segment.key : segment));

/** Returns the first issues in one line: `customer.id: Expected string; lines[3].qty: Too small; and 7 more`. */
function issuesText(issues: readonly Issue[], count: number): string {
  const texts = issues.slice(0, MAX_SHOWN).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = count - texts.length;
  return texts.join('; ') + (more > 0 ? `; and ${more} more` : '');
}

const WORD = /^[\w$-]+$/;

/** Formats a path, such as `lines[3].qty` or `totals["a b"]`. */
export const pathText = (keys: readonly PropertyKey[]): string =>
  keys.map((key, i) => (typeof key === 'number' ? `[${key}]` : segment(String(key), i === 0))).join('');

function segment(key: string, isFirst: boolean): string {
  if (!WORD.test(key)) return `[${JSON.stringify(key)}]`;
  return isFirst ? key : `.${key}`;
}
