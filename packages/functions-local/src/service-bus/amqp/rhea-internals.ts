/**
 * What this broker needs of rhea beyond its documented surface. rhea is a complete protocol engine, but for a broker it
 * answers too little (drains) or too early (settlement); everything that reaches inside stands here.
 */
import type { Socket } from 'node:net';
import rhea, { type AmqpError, type Connection, type Delivery, type Receiver, type Sender, type Session } from 'rhea';

type Terminus = { address: string };

interface LinkInternals {
  credit: number;
  delivery_count: number;
  issue_flow: boolean;
  _draining: boolean;
  _get_drain: () => boolean;
  local: { attach: Record<string, unknown> };
}

interface SessionInternals {
  on_transfer(frame: { performative: { message_format?: number | null } }): void;
  on_flow(frame: unknown): void;
  outgoing: { available(): number; next_pending_delivery: number };
}

interface ConnectionInternals {
  accept(socket: Socket): void;
  input(bytes: Buffer): void;
  eof(): void;
  _process(): void;
  _register(): void;
  socket: Socket;
}

type Outcome = { described(): unknown };
type Outcomes = { accepted(): Outcome; rejected(fields: { error: AmqpError }): Outcome };

function linkInternals(link: Sender | Receiver): LinkInternals {
  return link as unknown as LinkInternals;
}

function sessionInternals(session: Session): SessionInternals {
  return session as unknown as SessionInternals;
}

function connectionInternals(connection: Connection): ConnectionInternals {
  return connection as unknown as ConnectionInternals;
}

const outcomes = rhea.message as unknown as Outcomes;

/** Any message format but 0 makes rhea hand a message over as bytes; 1 stands for "was 0". */
const UNDECODED_FORMAT = 1;

/** Has all messages of a session handed over as bytes: decoded ones have lost the AMQP types of their values. */
export function keepMessagesEncoded(session: Session): void {
  const internals = sessionInternals(session);
  const onTransfer = internals.on_transfer;
  internals.on_transfer = (frame) => {
    frame.performative.message_format ||= UNDECODED_FORMAT;
    onTransfer.call(session, frame);
  };
}

/** Calls back after every flow of a session, also those that only open its window and raise no event. */
export function onSessionFlow(session: Session, callback: () => void): void {
  const internals = sessionInternals(session);
  const onFlow = internals.on_flow;
  internals.on_flow = (frame) => {
    onFlow.call(session, frame);
    callback();
  };
}

/** Starts AMQP on a socket from which the first bytes were already read. */
export function acceptSocket(connection: Connection, socket: Socket, firstBytes: Buffer): void {
  connectionInternals(connection).accept(socket);
  connectionInternals(connection).input(firstBytes);
}

/** Notifies rhea that the socket is gone: it does not watch `close`, and would keep links open that nobody reads. */
export function markDisconnected(connection: Connection): void {
  connectionInternals(connection).eof();
}

/** Cuts the connection without a word. */
export function dropConnection(connection: Connection): void {
  connectionInternals(connection).socket.destroy();
}

/** Fields of the attach answer. `maxMessageSize` is in bytes. */
export interface AttachAnswer {
  readonly source: Terminus | undefined;
  readonly target: Terminus | undefined;
  readonly sendSettled: boolean;
  readonly maxMessageSize?: number;
}

/** Sets what the attach answer says; rhea sends it on the next tick. */
export function answerAttach(link: Sender | Receiver, answer: AttachAnswer): void {
  const { attach } = linkInternals(link).local;
  if (answer.source) link.set_source(answer.source);
  if (answer.target) link.set_target(answer.target);
  attach.snd_settle_mode = answer.sendSettled ? 1 : 0;
  attach.rcv_settle_mode = link.rcv_settle_mode ?? 0;
  // A plain number: rhea throws while encoding a typed value here.
  if (answer.maxMessageSize !== undefined) attach.max_message_size = answer.maxMessageSize;
}

/** Deliveries the link may have had in all, by the credit the client gave so far. */
export function creditLimit(link: Sender): number {
  const { credit, delivery_count } = linkInternals(link);
  return credit + delivery_count;
}

/** Deliveries written to the socket so far; the credit they used counts as written when a drain took it. */
export function writtenCount(link: Sender): number {
  return linkInternals(link).delivery_count;
}

/** How many more deliveries the session can hold. */
export function outgoingRoom(link: Sender): number {
  return sessionInternals(link.session).outgoing.available();
}

/** Whether a delivery was written to the socket. */
export function isWritten(delivery: Delivery): boolean {
  return delivery.id < sessionInternals(delivery.link.session).outgoing.next_pending_delivery;
}

/** Whether the client's last flow asked to drain. */
export function isDraining(link: Sender): boolean {
  return linkInternals(link)._draining === true;
}

/** Answers a drain with drain and no credit, also when no credit is left, which rhea itself leaves unanswered. */
export function answerDrain(link: Sender): void {
  const internals = linkInternals(link);
  internals.delivery_count += internals.credit;
  internals.credit = 0;
  internals._draining = false;
  internals._get_drain = () => true;
  internals.issue_flow = true;
  connectionInternals(link.connection)._register();
}

/** Settles a delivery we sent, once the client said what became of it: accepted, or rejected with an error. */
export function answerSettlement(delivery: Delivery, error?: AmqpError): void {
  const connection = connectionInternals(delivery.link.connection);
  // rhea joins neighbours of one write without looking at the second one's outcome, so an error is written alone.
  if (error) connection._process();
  delivery.update(true, (error ? outcomes.rejected({ error }) : outcomes.accepted()).described());
  // The client never settles again, and an unsettled delivery would keep its place in the session's ring indefinitely.
  (delivery as { remote_settled: boolean }).remote_settled = true;
  if (error) connection._process();
}

/** Settles a delivery we received, accepted or rejected with an error. */
export function answerTransfer(delivery: Delivery, error?: AmqpError): void {
  const connection = connectionInternals(delivery.link.connection);
  if (error) connection._process();
  delivery.update(true, (error ? outcomes.rejected({ error }) : outcomes.accepted()).described());
  if (error) connection._process();
}
