/** Validation of an item by its workload's schema: one rule for uploads that are checked and for items that are processed. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Issue } from '../contract/outcome.ts';
import { pathText } from './path-text.ts';

const MAX_TOLD = 5;
/** An array of thousands of wrong rows has an issue for each. */
const MAX_ISSUES = 100;
const MAX_PATH_CHARS = 200;
const MAX_ISSUE_CHARS = 500;
/** All issues of an item together: as much as is kept of any other error. */
const MAX_ISSUES_CHARS = 8_000;

/** What is known of an item's issues beside their text. */
interface Issues {
  issues: readonly Issue[];
  moreIssues: number;
  /** Keys on the way to the value of the first issue. */
  firstPath?: readonly PropertyKey[];
}

const NO_ISSUES: Issues = { issues: [], moreIssues: 0 };

/** An item does not fit the workload's schema; the message names the first paths, `issues` all that are kept. */
export class InvalidItem extends Error {
  override name = 'InvalidItem';
  readonly issues: readonly Issue[];
  /** How many more there are. */
  readonly moreIssues: number;
  /** Keys on the way to the value of the first issue. */
  readonly firstPath: readonly PropertyKey[];
  constructor(message: string, { issues, moreIssues, firstPath = [] } = NO_ISSUES) {
    super(message);
    this.issues = issues;
    this.moreIssues = moreIssues;
    this.firstPath = firstPath;
  }
}

/**
 * Gives the item as its schema makes it, or a promise of it if the schema is asynchronous.
 * @throws InvalidItem naming the paths, and whatever the schema itself throws.
 */
export function validateItem(schema: StandardSchemaV1, item: unknown): unknown | PromiseLike<unknown> {
  const checked = schema['~standard'].validate(item);
  return isPromise(checked) ? checked.then(valueIn) : valueIn(checked as StandardSchemaV1.Result<unknown>);
}

/** What zod's schemas have beside the standard. */
interface ZodSchema {
  safeParseAsync(item: unknown): Promise<{ data?: unknown; error?: { issues: readonly StandardSchemaV1.Issue[] } }>;
}

const isZodSchema = (schema: StandardSchemaV1): schema is StandardSchemaV1 & ZodSchema =>
  schema['~standard'].vendor === 'zod' && 'safeParseAsync' in schema;

/**
 * As `validateItem`, for the main thread, where a rejection that nobody awaits ends the process with all that it does. zod
 * tries every item synchronously at first, and at an asynchronous check begins anew and leaves that one's promise to
 * nobody: so its asynchronous way is asked for, which takes about twice as long.
 */
export async function validateItemSafely(schema: StandardSchemaV1, item: unknown): Promise<unknown> {
  if (!isZodSchema(schema)) return validateItem(schema, item);
  const { data: value, error } = await schema.safeParseAsync(item);
  return valueIn(error === undefined ? { value } : { issues: error.issues });
}

/** Whether a value has to be awaited. Most light handlers are synchronous, and an await per item would halve their speed. */
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
  return new InvalidItem(issuesText(issues, found.length), { issues, moreIssues, firstPath: keysOf(found[0]?.path) });
}

const keysOf = (path: StandardSchemaV1.Issue['path']): PropertyKey[] =>
  (path ?? []).map((segment) => (typeof segment === 'object' ? segment.key : segment));

/** The first issues in one line: `customer.id: Expected string; lines[3].qty: Too small; and 7 more`. */
function issuesText(issues: readonly Issue[], count: number): string {
  const texts = issues.slice(0, MAX_TOLD).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = count - texts.length;
  return texts.join('; ') + (more > 0 ? `; and ${more} more` : '');
}
