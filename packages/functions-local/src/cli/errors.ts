/** The alternative for features that this package does not support. */
export const CORE_TOOLS =
  'use `func start` of Azure Functions Core Tools (https://learn.microsoft.com/azure/azure-functions/functions-run-local)';

/**
 * A mistake in the user's app, settings or machine prevents the start. Each problem is one line: what was expected, what was
 * found, and where.
 */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly problems: readonly string[];
  /** Details of the problem, for example a stack trace of the app. Shown with --verbose. */
  readonly detail: string | undefined;

  constructor(problems: readonly string[], options: { detail?: string | undefined; cause?: unknown } = {}) {
    super(problems.join('\n'), options.cause === undefined ? undefined : { cause: options.cause });
    this.problems = problems;
    this.detail = options.detail;
  }
}
