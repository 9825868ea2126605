/** Thrown by a handler: this item can never succeed. It becomes a dead letter at once, with this message. */
export class Reject extends Error {
  override name = 'Reject';
}

/** Thrown by a handler: try this item again. `after` is the least wait in seconds; default: exponential back-off. */
export class Retry extends Error {
  override name = 'Retry';
  readonly after: number | undefined;
  constructor(message: string, options: { after?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.after = options.after;
  }
}

/** A workload's definition is not usable; the message says which field, what was expected and what came. */
export class WorkloadDefinitionError extends Error {
  override name = 'WorkloadDefinitionError';
}
