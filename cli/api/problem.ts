import { kindOf, type ProblemFacts, problemText, type Refusal, readProblem } from '../../shared/client/index.ts';
import { CliError } from '../process/errors.ts';
import { EXIT, type ExitCode } from '../process/exit-codes.ts';
import { nearest } from '../text/nearest.ts';

/** The app refused the request or failed. The message contains title, detail and places. */
export class ApiProblem extends CliError {
  override name = 'ApiProblem';
  readonly status: number;
  /** The last part of the problem's type, such as `too-large`; undefined if the answer is not a problem document. */
  readonly kind: string | undefined;
  readonly facts: ProblemFacts;
  constructor(refusal: Refusal) {
    const { status, retryAfter } = refusal;
    const facts = readProblem(refusal.text);
    super(problemText(refusal, facts), { exitCode: exitCodeOf(status), hint: hintOf(status, facts, retryAfter) });
    this.status = status;
    this.facts = facts;
    this.kind = kindOf(facts);
  }
}

function exitCodeOf(status: number): ExitCode {
  if (status === 404) return EXIT.notFound;
  return status >= 400 && status < 500 ? EXIT.refused : EXIT.failed;
}

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
