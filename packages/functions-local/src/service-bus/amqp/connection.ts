import type { Connection, EventContext, Receiver, Sender, Session } from 'rhea';
import type { Broker } from '../broker/broker.ts';
import type { Perform } from '../broker/operations.ts';
import { toServiceBusError, unsupported } from '../errors.ts';
import { CBS_ADDRESS, MANAGEMENT_SUFFIX, managedEntity, toPath } from './addresses.ts';
import { serveCbs } from './cbs.ts';
import { Claims } from './claims.ts';
import { serveManagement } from './management.ts';
import { MAX_MESSAGE_BYTES, serveReceiverLink } from './receiver-link.ts';
import { ReplyLinks } from './requests.ts';
import { answerAttach, keepMessagesEncoded, markDisconnected, onSessionFlow } from './rhea-internals.ts';
import type { SharedKey } from './sas-token.ts';
import { SenderLink } from './sender-link.ts';

/** Options that all connections share. */
export interface ConnectionOptions {
  readonly broker: Broker;
  readonly key: SharedKey;
  readonly createPerform: () => Perform;
  readonly log: (line: string) => void;
}

const SESSION_FILTER = 'com.microsoft:session-filter';

/** The broker's end of one client's connection. */
export class ClientConnection {
  readonly #connection: Connection;
  readonly #options: ConnectionOptions;
  readonly #claims = new Claims();
  readonly #replies = new ReplyLinks();
  readonly #senderLinks = new Map<Sender, SenderLink>();

  /** Registers listeners for the connection's events. Create it before the connection reads its first byte. */
  constructor(connection: Connection, options: ConnectionOptions) {
    this.#connection = connection;
    this.#options = options;
    connection.on('session_open', ({ session }: EventContext) => session && this.#openSession(session));
    connection.on('session_close', ({ session }: EventContext) =>
      this.#closeSenderLinks((link) => link.session === session),
    );
    connection.on(
      'sender_open',
      ({ sender }: EventContext) => sender && this.#open(sender, () => this.#openSender(sender)),
    );
    connection.on('sender_close', ({ sender }: EventContext) => this.#closeSenderLinks((link) => link === sender));
    connection.on('receiver_open', ({ receiver }: EventContext) => {
      if (receiver) this.#open(receiver, () => this.#openReceiver(receiver));
    });
    connection.on('receiver_close', () => {});
    connection.on('disconnected', () => this.#closeSenderLinks(() => true));
    this.#listenToErrors();
  }

  /** Closes the connection in an orderly way. Clients reconnect when they need to. */
  close(): void {
    this.#connection.close({ condition: 'amqp:connection:forced', description: 'The broker is stopping.' });
  }

  /** Must be called when the socket is closed, whichever side closed it. */
  socketClosed(): void {
    markDisconnected(this.#connection);
    this.#closeSenderLinks(() => true);
  }

  /** rhea prints or throws errors that have no listener. */
  #listenToErrors(): void {
    for (const kind of ['connection', 'session', 'sender', 'receiver'] as const) {
      this.#connection.on(`${kind}_error`, (context: EventContext) => {
        const error = context[kind as 'connection']?.error;
        this.#options.log(`client reported a ${kind} error: ${String((error as Error | undefined)?.message ?? error)}`);
      });
    }
    for (const kind of ['protocol_error', 'error']) {
      this.#connection.on(kind, (error: unknown) => this.#options.log(`${kind}: ${String(error)}`));
    }
    this.#connection.on('connection_close', () => {});
  }

  #openSession(session: Session): void {
    keepMessagesEncoded(session);
    onSessionFlow(session, () => {
      for (const [link, senderLink] of this.#senderLinks) if (link.session === session) senderLink.flowed();
    });
  }

  /** Refuses a link with an attach answer without source and target, followed by a detach, as AMQP requires. */
  #open(link: Sender | Receiver, open: () => void): void {
    try {
      open();
    } catch (thrown: unknown) {
      const error = toServiceBusError(thrown);
      this.#options.log(`link refused: ${error.message}`);
      link.close(error.toAmqp());
    }
  }

  #openSender(link: Sender): void {
    const path = toPath(link.source?.address);
    const isNode = path === CBS_ADDRESS || managedEntity(path) !== undefined;
    if (isNode) this.#openReplies(link, path);
    else this.#openSenderLink(link, path);
  }

  #openSenderLink(link: Sender, path: string): void {
    if (link.source?.filter && SESSION_FILTER in link.source.filter) throw unsupported('Sessions are');
    this.#claims.require(path);
    const { broker, createPerform } = this.#options;
    const queue = broker.queue(path);
    answerAttach(link, { ...termini(link), sendSettled: link.snd_settle_mode === 1 });
    this.#senderLinks.set(link, new SenderLink(link, { broker, queue, perform: createPerform() }));
  }

  #openReplies(link: Sender, path: string): void {
    if (path !== CBS_ADDRESS) this.#requireManaged(path);
    answerAttach(link, { ...termini(link), sendSettled: true });
    this.#replies.add(link);
  }

  #openReceiver(link: Receiver): void {
    if (!link.target) throw unsupported('A link to a transaction coordinator is');
    const path = toPath(link.target.address);
    const entity = managedEntity(path);
    if (path === CBS_ADDRESS) this.#serveCbs(link);
    else if (entity !== undefined) this.#serveManagement(link, entity);
    else this.#serveReceiverLink(link, path);
    answerAttach(link, { ...termini(link), sendSettled: false, maxMessageSize: MAX_MESSAGE_BYTES });
  }

  #serveCbs(link: Receiver): void {
    const { broker, key } = this.#options;
    serveCbs(link, { claims: this.#claims, replies: this.#replies, key, now: broker.now });
  }

  #serveManagement(link: Receiver, entity: string): void {
    const { broker, createPerform } = this.#options;
    this.#requireManaged(`${entity}${MANAGEMENT_SUFFIX}`);
    serveManagement(link, { broker, path: entity, perform: createPerform(), replies: this.#replies });
  }

  #serveReceiverLink(link: Receiver, path: string): void {
    const { broker, createPerform } = this.#options;
    this.#claims.require(path);
    serveReceiverLink(link, { broker, sendTarget: broker.sendTarget(path), perform: createPerform() });
  }

  #requireManaged(path: string): void {
    this.#claims.require(path);
    this.#options.broker.require(managedEntity(path) ?? path);
  }

  #closeSenderLinks(which: (link: Sender) => boolean): void {
    for (const [link, senderLink] of this.#senderLinks) {
      if (!which(link)) continue;
      this.#senderLinks.delete(link);
      senderLink.close();
    }
  }
}

function termini(link: Sender | Receiver) {
  const address = (terminus: { address?: string } | undefined | null) => ({ address: terminus?.address ?? '' });
  return { source: address(link.source), target: address(link.target) };
}
