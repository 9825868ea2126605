/** The app or its configuration cannot be started; the message says what was expected, what came, and where. */
export class HostStartError extends Error {
  override readonly name = 'HostStartError';
}

/** One function cannot be served by this host; the others run. */
export class FunctionRefusedError extends Error {
  override readonly name = 'FunctionRefusedError';
}

/** Refuses a feature by name; `what` ends in the verb, such as `sessions are`. Core Tools run what this host does not. */
export function unsupported(what: string): FunctionRefusedError {
  return new FunctionRefusedError(
    `${what} not supported by functions-local; use \`func start\` of Azure Functions Core Tools ` +
      '(https://learn.microsoft.com/azure/azure-functions/functions-run-local).',
  );
}

/** An invocation overran `functionTimeout`. Its handler goes on running; what it returns later is ignored. */
export class FunctionTimeoutError extends Error {
  override readonly name = 'FunctionTimeoutError';
}

/** A request body above the limit. */
export class BodyTooLargeError extends Error {
  override readonly name = 'BodyTooLargeError';
  readonly limitBytes: number;

  constructor(limitBytes: number) {
    super(`Request body too large: the limit is ${limitBytes} bytes.`);
    this.limitBytes = limitBytes;
  }
}

/** Whatever was thrown, as an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
