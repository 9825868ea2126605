import rhea, { type EventContext, type Receiver } from 'rhea';
import { AnswerLostError, toServiceBusError } from '../errors.ts';
import { type ManagementContext, manage } from './management-operations.ts';
import { readMap } from './management-values.ts';
import { type NodeRequest, type ReplyLinks, readRequest } from './requests.ts';
import { answerTransfer, dropConnection } from './rhea-internals.ts';

/** Maximum number of open requests per client. */
const CREDIT = 100;

/** Options of the management node of an entity. */
export interface ManagementOptions extends ManagementContext {
  readonly replies: ReplyLinks;
}

function replyProperties(code: number, description: string): Record<string, unknown> {
  // The client reads only these camel-case names. With the names of $cbs it fails on an empty reply.
  return { statusCode: rhea.types.wrap_int(code), statusDescription: description };
}

async function answer(request: NodeRequest, options: ManagementOptions): Promise<void> {
  const { replies, broker } = options;
  try {
    const body = await manage(options, request.operation, readMap(request.body, 'body'));
    replies.send(request, body ? replyProperties(200, 'OK') : replyProperties(204, 'No Content'), body);
  } catch (thrown: unknown) {
    if (thrown instanceof AnswerLostError) throw thrown;
    const { status, message, condition } = toServiceBusError(thrown);
    const properties = replyProperties(status, message);
    replies.send(request, { ...properties, errorCondition: rhea.types.wrap_symbol(condition) });
  }
  broker.wake();
}

/** Answers the requests that arrive on a link to an entity's management node. */
export function serveManagement(link: Receiver, options: ManagementOptions): void {
  link.on('message', ({ message, delivery }: EventContext) => {
    if (delivery) answerTransfer(delivery);
    link.add_credit(1);
    const answered = answer(readRequest(message as unknown as Buffer), options);
    answered.catch(() => dropConnection(link.connection));
  });
  link.add_credit(CREDIT);
}
