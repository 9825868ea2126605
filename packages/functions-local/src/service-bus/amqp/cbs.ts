import rhea, { type EventContext, type Receiver } from 'rhea';
import { toServiceBusError, unsupported } from '../errors.ts';
import type { Claims } from './claims.ts';
import { type NodeRequest, type ReplyLinks, readRequest } from './requests.ts';
import { answerTransfer } from './rhea-internals.ts';
import { checkSasToken, type SharedKey } from './sas-token.ts';

/** Maximum number of open token requests per client. */
const CREDIT = 100;

/** Options of the token node of one connection. */
export interface CbsOptions {
  readonly claims: Claims;
  readonly replies: ReplyLinks;
  readonly key: SharedKey;
  readonly now: () => number;
}

function putToken(request: NodeRequest, { claims, key, now }: CbsOptions): void {
  if (request.operation !== 'put-token') throw unsupported(`$cbs: the operation '${request.operation}' is`);
  if (request.properties.type !== 'servicebus.windows.net:sastoken') {
    throw unsupported(`$cbs: a token of type '${String(request.properties.type)}' is`);
  }
  claims.add(checkSasToken(String(request.body), key, now()));
}

function answer(request: NodeRequest, options: CbsOptions): void {
  const status = { code: 202, text: 'Accepted' };
  try {
    putToken(request, options);
  } catch (thrown: unknown) {
    const error = toServiceBusError(thrown);
    Object.assign(status, { code: error.status, text: error.message });
  }
  const properties = { 'status-code': rhea.types.wrap_int(status.code), 'status-description': status.text };
  options.replies.send(request, properties);
}

/** Answers the token requests that arrive on a link to `$cbs`. */
export function serveCbs(link: Receiver, options: CbsOptions): void {
  link.on('message', ({ message, delivery }: EventContext) => {
    if (delivery) answerTransfer(delivery);
    answer(readRequest(message as unknown as Buffer), options);
    link.add_credit(1);
  });
  link.add_credit(CREDIT);
}
