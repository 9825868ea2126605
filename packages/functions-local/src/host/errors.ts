/** The app or its configuration is not valid. The message contains what was expected, what was found, and where. */
export class HostStartError extends Error {
  override readonly name = 'HostStartError';
}

/** The host cannot serve this function. The others run. */
export class FunctionRefusedError extends Error {
  override readonly name = 'FunctionRefusedError';
}

/** Refuses an unsupported feature. `what` ends with the verb, for example `sessions are`. The message recommends Core Tools. */
export function unsupported(what: string): FunctionRefusedError {
  return new FunctionRefusedError(
    `${what} not supported by functions-local; use \`func start\` of Azure Functions Core Tools ` +
      '(https://learn.microsoft.com/azure/azure-functions/functions-run-local).',
  );
}

/** An invocation exceeded `functionTimeout`. Its later result is ignored. */
export class FunctionTimeoutError extends Error {
  override readonly name: string = 'FunctionTimeoutError';
}

/** The process of the invocation ends, because another invocation exceeded `functionTimeout`. */
export class FunctionTimeoutAbortError extends FunctionTimeoutError {
  override readonly name = 'FunctionTimeoutAbortError';
}

/**
 * Exit code of a process that ends because an invocation exceeded `functionTimeout`: EX_TEMPFAIL of sysexits.h, which
 * invites to start it again.
 */
export const TIMED_OUT_EXIT_CODE = 75;

/** A request body is larger than the limit. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`Request body too large: the limit is ${limitBytes} bytes.`);
    this.limitBytes = limitBytes;
  }
}

/** Converts any thrown value to an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
