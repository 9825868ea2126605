/** Thrown by a handler if the item can never succeed. The item immediately becomes a dead letter with this message. */
export class Reject extends Error {
  override name = 'Reject';
}

/**
 * Thrown by a handler if the item should be tried again. `after` is the minimum wait in seconds. If absent, the wait is
 * that of the workload's retry policy.
 */
export class Retry extends Error {
  override name = 'Retry';
  readonly after: number | undefined;
  constructor(message: string, options: { after?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.after = options.after;
  }
}

/** A workload's definition is invalid. The message contains the field, the expected value and the received one. */
export class WorkloadDefinitionError extends Error {
  override name = 'WorkloadDefinitionError';
}
