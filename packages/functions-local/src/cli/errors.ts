/** Where what this package does not support is run. */
export const CORE_TOOLS =
  'use `func start` of Azure Functions Core Tools (https://learn.microsoft.com/azure/azure-functions/functions-run-local)';

/** The user's app, settings or machine stop the start. Each problem is one line: what was expected, what came, where. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly problems: readonly string[];
  /** More about the problem, such as a stack trace of the app; shown with --verbose. */
  readonly detail: string | undefined;

  constructor(problems: readonly string[], options: { detail?: string | undefined; cause?: unknown } = {}) {
    super(problems.join('\n'), options.cause === undefined ? undefined : { cause: options.cause });
    this.problems = problems;
    this.detail = options.detail;
  }
}
