import rhea, { type Sender } from 'rhea';

/** A request to a management or token node, decoded. */
export interface NodeRequest {
  readonly operation: string;
  readonly messageId: unknown;
  readonly replyTo: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Reads a request. Throws when the bytes are no message. */
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

/** Where replies go: clients name the link either by its target address or by its own name. */
export class ReplyLinks {
  readonly #links = new Map<string, Sender>();

  /** Keeps a link for replies. */
  add(link: Sender): void {
    this.#links.set(link.name, link);
    if (link.target?.address) this.#links.set(link.target.address, link);
  }

  /** Sends a reply; one whose link is gone has no reader left and is dropped. */
  send(request: NodeRequest, properties: Record<string, unknown>, body?: unknown): void {
    const link = this.#links.get(request.replyTo);
    if (!link?.is_open()) return;
    const correlation = request.messageId as string;
    link.send({ correlation_id: correlation, application_properties: properties, body: body ?? null });
  }
}
