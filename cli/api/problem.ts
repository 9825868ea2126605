import { CliError } from '../process/errors.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { nearest } from '../text/nearest.ts';

/** A place in an upload, 1-based. */
export interface Place {
  line: number;
  /** Absent where only the line is known. */
  column?: number;
  message: string;
}

/** The parts of a problem document that are printed; each may be absent, as a proxy between may answer in its own way. */
export interface ProblemFacts {
  type?: string;
  title?: string;
  detail?: string;
  instance?: string;
  errors?: Place[];
}

/** The pipeline answered that it cannot or will not do it. The message has title, detail and places. */
export class ApiProblem extends CliError {
  override name = 'ApiProblem';
  readonly status: number;
  /** The last part of the problem's type, as `too-large`; undefined: it was no problem document. */
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
  // A single fault stands in the detail already, with its place.
  const places = errors.filter(({ message }) => errors.length > 1 || !detail?.includes(message));
  return [
    head,
    ...(detail === undefined ? [] : [`  ${detail}`]),
    ...places.map((at) => `  ${placeText(at)}: ${at.message}`),
  ].join('\n');
}

/** A place in an upload, in words. */
export const placeText = ({ line, column }: { line: number; column?: number | undefined }): string =>
  column === undefined ? `line ${line}` : `line ${line}, column ${column}`;

function hintOf(status: number, facts: ProblemFacts, retryAfter: string | undefined): string | undefined {
  if (status === 401 || status === 403)
    return 'Give the key with --key, SLUICE_KEY, or for operator commands SLUICE_OPERATOR_KEY, or keep it with sluice login; npm start prints that of the local stack.';
  const hint = HINTS[kindOf(facts) ?? ''];
  if (hint !== undefined) return hint;
  if (status >= 500)
    return `Try again${retryAfter === undefined ? '' : ` in ${retryAfter} s`}: what was accepted is not done twice. To do it once more on purpose: submit --again, redrive --idempotency-key.`;
  return nearWorkload(facts);
}

/** The app names the workloads that it has. */
function nearWorkload({ detail = '' }: ProblemFacts): string | undefined {
  const [, name = '', known = ''] = /^There is no workload "(.*)"; there are: (.*)\.$/.exec(detail) ?? [];
  const near = nearest(name, known.split(', '));
  return near === undefined ? undefined : `Did you mean ${near}?`;
}

const HINTS: Readonly<Record<string, string>> = {
  'upload-in-progress': 'Run the same command again in a minute: it gives the batch of the other upload.',
  'idempotency-mismatch': 'Give another --idempotency-key, or none.',
  'precondition-failed': 'Read it again, and repeat the change on what it is now.',
};
