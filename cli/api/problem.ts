import { CliError } from '../process/errors.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { nearest } from '../text/nearest.ts';

/** A place in an upload, 1-based. */
export interface Place {
  line: number;
  /** Absent if only the line is known. */
  column?: number;
  message: string;
}

/** The printed parts of a problem document. Each may be absent, because a proxy may have answered in another format. */
export interface ProblemFacts {
  type?: string;
  title?: string;
  detail?: string;
  instance?: string;
  errors?: Place[];
}

/** The app refused the request or failed. The message contains title, detail and places. */
export class ApiProblem extends CliError {
  override name = 'ApiProblem';
  readonly status: number;
  /** The last part of the problem's type, such as `too-large`; undefined if the answer is not a problem document. */
  readonly kind: string | undefined;
  readonly facts: ProblemFacts;
  constructor(status: number, text: string, retryAfter?: string | undefined) {
    const facts = factsOf(text);
    super(messageOf(status, facts, text), { exitCode: exitCodeOf(status), hint: hintOf(status, facts, retryAfter) });
    this.status = status;
    this.facts = facts;
    this.kind = kindOf(facts);
  }
}

const kindOf = ({ type }: ProblemFacts): string | undefined => type?.split('/').at(-1);

function exitCodeOf(status: number): ExitCode {
  if (status === 404) return EXIT.notFound;
  return status >= 400 && status < 500 ? EXIT.refused : EXIT.failed;
}

function factsOf(text: string): ProblemFacts {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

const KEY_REFUSED = 'The app does not accept the key';
const MAX_FOREIGN_TEXT = 300;

function messageOf(status: number, facts: ProblemFacts, text: string): string {
  const { title, detail, errors = [] } = facts;
  if (status === 401 && title === undefined) return `${KEY_REFUSED} (401).`;
  if (title === undefined && detail === undefined)
    return `The app answered ${status}${text.trim() === '' ? '' : `: ${text.trim().slice(0, MAX_FOREIGN_TEXT)}`}`;
  const head = `${title ?? 'The app refused'} (${[status, kindOf(facts)].filter(Boolean).join(' ')})`;
  // The detail already contains a single fault with its place.
  const places = errors.filter(({ message }) => errors.length > 1 || !detail?.includes(message));
  return [
    head,
    ...(detail === undefined ? [] : [`  ${detail}`]),
    ...places.map((at) => `  ${placeText(at)}: ${at.message}`),
  ].join('\n');
}

/** Describes a place in an upload. */
export const placeText = ({ line, column }: { line: number; column?: number | undefined }): string =>
  column === undefined ? `line ${line}` : `line ${line}, column ${column}`;

function hintOf(status: number, facts: ProblemFacts, retryAfter: string | undefined): string | undefined {
  if (status === 401 || status === 403)
    return 'Give the key with --key, SLUICE_KEY, or for operator commands SLUICE_OPERATOR_KEY, or store it with sluice login; npm start prints the key of the local stack.';
  const hint = HINTS[kindOf(facts) ?? ''];
  if (hint !== undefined) return hint;
  if (status >= 500)
    return `Try again${retryAfter === undefined ? '' : ` in ${retryAfter} s`}: an accepted request is not executed twice. To repeat it on purpose: submit --again, redrive --idempotency-key.`;
  return nearWorkload(facts);
}

/** Suggests a workload: the detail of the problem lists those that exist. */
function nearWorkload({ detail = '' }: ProblemFacts): string | undefined {
  const [, name = '', known = ''] = /^There is no workload "(.*)"; there are: (.*)\.$/.exec(detail) ?? [];
  const near = nearest(name, known.split(', '));
  return near === undefined ? undefined : `Did you mean ${near}?`;
}

const HINTS: Readonly<Record<string, string>> = {
  'upload-in-progress': 'Run the same command again in a minute: it returns the batch of the other upload.',
  'idempotency-mismatch': 'Give a different --idempotency-key, or none.',
  'precondition-failed': 'Read the current version, and repeat the change on it.',
};
