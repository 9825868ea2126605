import rhea, { type Sender } from 'rhea';

/** A decoded request to a management node or the token node. */
export interface NodeRequest {
  readonly operation: string;
  readonly messageId: unknown;
  readonly replyTo: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Reads a request. Throws if the bytes are not an AMQP message. */
export function readRequest(bytes: Buffer): NodeRequest {
  const message: Record<string, unknown> = rhea.message.decode(bytes);
  const properties = (message.application_properties ?? {}) as Record<string, unknown>;
  return {
    operation: String(properties.operation),
    messageId: message.message_id,
    replyTo: String(message.reply_to),
    properties,
    body: message.body,
  };
}

/** The links for replies. Clients identify a link by its target address or by its name. */
export class ReplyLinks {
  readonly #links = new Map<string, Sender>();

  /** Adds a link for replies. */
  add(link: Sender): void {
    this.#links.set(link.name, link);
    if (link.target?.address) this.#links.set(link.target.address, link);
  }

  /** Sends a reply. Drops it if its link is closed, since no client can read it. */
  send(request: NodeRequest, properties: Record<string, unknown>, body?: unknown): void {
    const link = this.#links.get(request.replyTo);
    if (!link?.is_open()) return;
    const correlation = request.messageId as string;
    link.send({ correlation_id: correlation, application_properties: properties, body: body ?? null });
  }
}
