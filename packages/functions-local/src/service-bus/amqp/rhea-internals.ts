/**
 * The features that this broker needs from rhea beyond its documented API. rhea is a complete protocol engine, but for a
 * broker it answers some frames not at all (drains) or too early (settlement). Only this file accesses rhea's internals.
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

/** rhea passes a message on as bytes if its format is not 0. The value 1 replaces 0. */
const UNDECODED_FORMAT = 1;

/** Makes rhea pass on all messages of a session as bytes. Decoded messages lose the AMQP types of their values. */
export function keepMessagesEncoded(session: Session): void {
  const internals = sessionInternals(session);
  const onTransfer = internals.on_transfer;
  internals.on_transfer = (frame) => {
    frame.performative.message_format ||= UNDECODED_FORMAT;
    onTransfer.call(session, frame);
  };
}

/**
 * Calls `callback` after every flow frame of a session, including those that only open the session window and emit no event.
 */
export function onSessionFlow(session: Session, callback: () => void): void {
  const internals = sessionInternals(session);
  const onFlow = internals.on_flow;
  internals.on_flow = (frame) => {
    onFlow.call(session, frame);
    callback();
  };
}

/** Starts AMQP on a socket from which the first bytes were read already. */
export function acceptSocket(connection: Connection, socket: Socket, firstBytes: Buffer): void {
  connectionInternals(connection).accept(socket);
  connectionInternals(connection).input(firstBytes);
}

/** Notifies rhea that the socket is closed. rhea does not listen to `close` and would keep the links open. */
export function markDisconnected(connection: Connection): void {
  connectionInternals(connection).eof();
}

/** Cuts the connection without closing it in AMQP. */
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

/** Sets the fields of the attach answer, which rhea sends on the next tick. */
export function answerAttach(link: Sender | Receiver, answer: AttachAnswer): void {
  const { attach } = linkInternals(link).local;
  if (answer.source) link.set_source(answer.source);
  if (answer.target) link.set_target(answer.target);
  attach.snd_settle_mode = answer.sendSettled ? 1 : 0;
  attach.rcv_settle_mode = link.rcv_settle_mode ?? 0;
  // A plain number, since rhea throws when it encodes a typed value here.
  if (answer.maxMessageSize !== undefined) attach.max_message_size = answer.maxMessageSize;
}

/** Returns the total number of deliveries that the link can make with the credit that the client has issued so far. */
export function creditLimit(link: Sender): number {
  const { credit, delivery_count } = linkInternals(link);
  return credit + delivery_count;
}

/** Returns the number of deliveries written to the socket. Credit that a drain consumed counts as written. */
export function writtenCount(link: Sender): number {
  return linkInternals(link).delivery_count;
}

/** Returns how many more deliveries the session can hold. */
export function outgoingRoom(link: Sender): number {
  return sessionInternals(link.session).outgoing.available();
}

/** Whether a delivery was written to the socket. */
export function isWritten(delivery: Delivery): boolean {
  return delivery.id < sessionInternals(delivery.link.session).outgoing.next_pending_delivery;
}

/** Whether the client's last flow frame requested a drain. */
export function isDraining(link: Sender): boolean {
  return linkInternals(link)._draining === true;
}

/** Answers a drain with a flow frame without credit. rhea does not answer it if no credit is left. */
export function answerDrain(link: Sender): void {
  const internals = linkInternals(link);
  internals.delivery_count += internals.credit;
  internals.credit = 0;
  internals._draining = false;
  internals._get_drain = () => true;
  internals.issue_flow = true;
  connectionInternals(link.connection)._register();
}

/** Settles an outgoing delivery after the client's disposition: accepted, or rejected with an error. */
export function answerSettlement(delivery: Delivery, error?: AmqpError): void {
  const connection = connectionInternals(delivery.link.connection);
  // rhea merges neighbouring dispositions of one write without comparing their outcomes. Therefore an error is written
  // separately.
  if (error) connection._process();
  delivery.update(true, (error ? outcomes.rejected({ error }) : outcomes.accepted()).described());
  // The client does not settle again. An unsettled delivery would occupy its place in the session's ring buffer indefinitely.
  (delivery as { remote_settled: boolean }).remote_settled = true;
  if (error) connection._process();
}

/** Settles an incoming delivery as accepted, or as rejected with an error. */
export function answerTransfer(delivery: Delivery, error?: AmqpError): void {
  const connection = connectionInternals(delivery.link.connection);
  if (error) connection._process();
  delivery.update(true, (error ? outcomes.rejected({ error }) : outcomes.accepted()).described());
  if (error) connection._process();
}
