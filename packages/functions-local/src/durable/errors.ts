/** The orchestration asked for something that this backend does not do; its instance fails with this text. */
export class UnsupportedError extends Error {
  override readonly name = 'UnsupportedError';
}

/** The orchestrator's actions no longer fit its stored history. */
export class NonDeterminismError extends Error {
  override readonly name = 'NonDeterminismError';
}

/** A management request that is answered with this HTTP status and message. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  readonly exceptionType: string;

  constructor(status: number, message: string, exceptionType = 'System.ArgumentException') {
    super(message);
    this.status = status;
    this.exceptionType = exceptionType;
  }
}

/** The effect was stored, but a fault was injected before the answer: the caller must not get any answer. */
export class AnswerLostError extends Error {
  override readonly name = 'AnswerLostError';
}

/** The worker that ran the function died, or was not heard of for too long: what it was given is run again. */
export class WorkerLostError extends Error {
  override readonly name = 'WorkerLostError';
}

/** Whatever was thrown, as an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
