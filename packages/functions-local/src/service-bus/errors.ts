/** An error for the client: an AMQP error condition, and the status code of the same error in a management reply. */
export class ServiceBusError extends Error {
  override readonly name = 'ServiceBusError';
  readonly condition: string;
  readonly status: number;

  constructor(condition: string, status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.condition = condition;
    this.status = status;
  }

  /** Converts the error for a detach or a rejected outcome. */
  toAmqp(): { condition: string; description: string } {
    return { condition: this.condition, description: this.message };
  }
}

/** Makes the broker drop the connection instead of answering. */
export class AnswerLostError extends Error {
  override readonly name = 'AnswerLostError';
}

/** The entity does not exist. The client recognizes this error by its text. Therefore the wording is part of the protocol. */
export function entityNotFound(path: string): ServiceBusError {
  const text = `The messaging entity '${path}' could not be found. status-code: 404`;
  return new ServiceBusError('amqp:not-found', 404, text);
}

/** The rule does not exist. */
export function ruleNotFound(name: string): ServiceBusError {
  return new ServiceBusError('amqp:not-found', 404, `The messaging entity '${name}' could not be found.`);
}

/** No message with this sequence number exists in the required state. */
export function messageNotFound(sequence: number): ServiceBusError {
  return new ServiceBusError('com.microsoft:message-not-found', 404, `No scheduled message ${sequence}.`);
}

/** The lock has expired, its message was settled already, or it never existed. */
export function lockLost(): ServiceBusError {
  const text = 'The lock supplied is invalid. Either the lock expired, or the message has already been settled.';
  return new ServiceBusError('com.microsoft:message-lock-lost', 410, text);
}

/** A feature of Azure Service Bus that this broker does not support. `what` is the feature, with "is" or "are". */
export function unsupported(what: string): ServiceBusError {
  return new ServiceBusError('amqp:not-implemented', 501, `${what} not supported by the local Service Bus broker.`);
}

/** The request is not valid. */
export function invalidArgument(message: string): ServiceBusError {
  return new ServiceBusError('com.microsoft:argument-error', 400, message);
}

/** A rule with this name exists already. */
export function ruleExists(name: string): ServiceBusError {
  return new ServiceBusError('com.microsoft:entity-already-exists', 409, `Rule '${name}' already exists.`);
}

/** There is no valid claim for the address. */
export function unauthorized(message: string): ServiceBusError {
  return new ServiceBusError('amqp:unauthorized-access', 401, message);
}

/** A temporary error, which clients retry. */
export function serverBusy(message: string, cause?: unknown): ServiceBusError {
  return new ServiceBusError('com.microsoft:server-busy', 503, message, { cause });
}

/** The message or batch is larger than the limit of the Standard tier. */
export function messageTooLarge(bytes: number, maxBytes: number): ServiceBusError {
  const text = `The message of ${bytes} bytes is larger than the limit of ${maxBytes} bytes.`;
  return new ServiceBusError('amqp:link:message-size-exceeded', 413, text);
}

/** Converts any thrown value. An unknown error becomes an internal error, which clients retry. */
export function toServiceBusError(error: unknown): ServiceBusError {
  if (error instanceof ServiceBusError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ServiceBusError('amqp:internal-error', 500, message, { cause: error });
}
