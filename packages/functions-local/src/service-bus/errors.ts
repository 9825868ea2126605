/** A refusal the client gets to see: an AMQP error condition, and the status code the same refusal has in a management reply. */
export class ServiceBusError extends Error {
  override readonly name = 'ServiceBusError';
  readonly condition: string;
  readonly status: number;

  constructor(condition: string, status: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.condition = condition;
    this.status = status;
  }

  /** The error as it stands in a detach or a rejected outcome. */
  toAmqp(): { condition: string; description: string } {
    return { condition: this.condition, description: this.message };
  }
}

/** Thrown where the broker drops the connection instead of answering. */
export class AnswerLostError extends Error {
  override readonly name = 'AnswerLostError';
}

/** The entity does not exist. The client recognises this case by the text, so the wording is part of the protocol. */
export function entityNotFound(path: string): ServiceBusError {
  const text = `The messaging entity '${path}' could not be found. status-code: 404`;
  return new ServiceBusError('amqp:not-found', 404, text);
}

/** The rule does not exist. */
export function ruleNotFound(name: string): ServiceBusError {
  return new ServiceBusError('amqp:not-found', 404, `The messaging entity '${name}' could not be found.`);
}

/** A message with this sequence number does not exist, or is not in the state the operation needs. */
export function messageNotFound(sequence: number): ServiceBusError {
  return new ServiceBusError('com.microsoft:message-not-found', 404, `No scheduled message ${sequence}.`);
}

/** The lock has expired, was settled before, or never existed. */
export function lockLost(): ServiceBusError {
  const text = 'The lock supplied is invalid. Either the lock expired, or the message has already been settled.';
  return new ServiceBusError('com.microsoft:message-lock-lost', 410, text);
}

/** A feature of Azure Service Bus that this broker does not have; `what` names it. */
export function unsupported(what: string): ServiceBusError {
  return new ServiceBusError('amqp:not-implemented', 501, `${what} not supported by the local Service Bus broker.`);
}

/** The request itself is wrong. */
export function invalidArgument(message: string): ServiceBusError {
  return new ServiceBusError('com.microsoft:argument-error', 400, message);
}

/** A rule of this name exists. */
export function ruleExists(name: string): ServiceBusError {
  return new ServiceBusError('com.microsoft:entity-already-exists', 409, `Rule '${name}' already exists.`);
}

/** No valid claim for the address. */
export function unauthorized(message: string): ServiceBusError {
  return new ServiceBusError('amqp:unauthorized-access', 401, message);
}

/** A retryable refusal. */
export function serverBusy(message: string, cause?: unknown): ServiceBusError {
  return new ServiceBusError('com.microsoft:server-busy', 503, message, { cause });
}

/** The message or batch is larger than a Standard namespace takes. */
export function messageTooLarge(bytes: number, maxBytes: number): ServiceBusError {
  const text = `The message of ${bytes} bytes is larger than the limit of ${maxBytes} bytes.`;
  return new ServiceBusError('amqp:link:message-size-exceeded', 413, text);
}

/** Any thrown value as a refusal; what is not one already becomes an internal error, which clients retry. */
export function toServiceBusError(error: unknown): ServiceBusError {
  if (error instanceof ServiceBusError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ServiceBusError('amqp:internal-error', 500, message, { cause: error });
}
