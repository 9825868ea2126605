/** The orchestration used a feature that this backend does not support. Its instance fails with this message. */
export class UnsupportedError extends Error {
  override readonly name = 'UnsupportedError';
}

/** The orchestrator's actions do not match its stored history. */
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

/** The effect was stored, but a fault was injected before the answer. The caller must not receive any answer. */
export class AnswerLostError extends Error {
  override readonly name = 'AnswerLostError';
}

/** The worker that ran the function died, or was silent for too long. Its work runs again. */
export class WorkerLostError extends Error {
  override readonly name = 'WorkerLostError';
}

/** Converts any thrown value to an Error. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
