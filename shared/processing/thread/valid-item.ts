import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Issue } from '../../contract/outcome.ts';
import { InvalidItem, toErrorText } from '../outcome/error-text.ts';
import { pathText } from '../outcome/path-text.ts';
import { itemOf, type Source } from '../sources.ts';
import { isPromise } from './flight.ts';

const MAX_TOLD = 5;
/** An array of thousands of wrong rows has an issue for each. */
const MAX_ISSUES = 100;
const MAX_PATH_CHARS = 200;
const MAX_ISSUE_CHARS = 500;
/** All issues of an item together: as much as is kept of any other error. */
const MAX_ISSUES_CHARS = 8_000;

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
  if (result.issues) throw invalid(result.issues);
  return result.value;
}

function invalid(found: readonly StandardSchemaV1.Issue[]): InvalidItem {
  const issues: Issue[] = [];
  let chars = 0;
  for (const { path, message } of found.slice(0, MAX_ISSUES)) {
    const keys = (path ?? []).map((segment) => (typeof segment === 'object' ? segment.key : segment));
    const issue = { path: pathText(keys).slice(0, MAX_PATH_CHARS), message: message.slice(0, MAX_ISSUE_CHARS) };
    chars += issue.path.length + issue.message.length;
    if (chars > MAX_ISSUES_CHARS) break;
    issues.push(issue);
  }
  return new InvalidItem(issuesText(issues, found.length), { issues, moreIssues: found.length - issues.length });
}

/** The first issues in one line: `customer.id: Expected string; lines[3].qty: Too small; and 7 more`. */
function issuesText(issues: readonly Issue[], count: number): string {
  const told = issues.slice(0, MAX_TOLD).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = count - told.length;
  return told.join('; ') + (more > 0 ? `; and ${more} more` : '');
}
