import type { Broker } from '../broker/broker.ts';
import type { DeadLetterReason, MessageQueue, Properties } from '../broker/message-queue.ts';
import type { Perform } from '../broker/operations.ts';
import { invalidArgument, messageTooLarge, unsupported } from '../errors.ts';
import { readIncomingMessage } from '../wire/incoming-message.ts';
import { writeOutgoingMessage } from '../wire/outgoing-message.ts';
import {
  type Body,
  describeRule,
  readBytes,
  readList,
  readMap,
  readNumber,
  readRule,
  wrapArray,
} from './management-values.ts';
import { MAX_MESSAGE_BYTES } from './receiver-link.ts';

/** The context of a management request. `path` is the entity's. */
export interface ManagementContext {
  readonly broker: Broker;
  readonly path: string;
  readonly perform: Perform;
}

/** The body of a successful reply. Undefined means 204 (no content). */
export type ManagementReply = Body | undefined;

type Handler = (context: ManagementContext, body: Body) => ManagementReply | Promise<ManagementReply>;

/** Maximum number of messages per peek. Clients peek again for more. */
const MAX_PEEK = 250;

function peek({ broker, path }: ManagementContext, body: Body): ManagementReply {
  const from = readNumber(body['from-sequence-number'], 'from-sequence-number');
  const count = Math.min(readNumber(body['message-count'], 'message-count'), MAX_PEEK);
  const messages = broker.peek(path, from, count).map((message) => {
    const state = message.dueAt === undefined ? 0 : 2;
    return { message: writeOutgoingMessage(message, { state }) };
  });
  return messages.length > 0 ? { messages } : undefined;
}

async function renewLock({ broker, path, perform }: ManagementContext, body: Body): Promise<ManagementReply> {
  const queue = broker.queue(path);
  const tokens = readTokens(body);
  const expirations = await perform('renewLock', () => tokens.map((token) => queue.renew(token)));
  return { expirations: wrapArray('timestamp', expirations) };
}

async function schedule({ broker, path, perform }: ManagementContext, body: Body): Promise<ManagementReply> {
  const sendTarget = broker.sendTarget(path);
  const messages = readList(body.messages, 'messages').map((entry) => {
    const bytes = readBytes(readMap(entry, 'messages').message, 'message');
    if (bytes.length > MAX_MESSAGE_BYTES) throw messageTooLarge(bytes.length, MAX_MESSAGE_BYTES);
    return readIncomingMessage(bytes);
  });
  const sequences = await perform('schedule', () => sendTarget.accept(messages, broker.now()));
  return { 'sequence-numbers': wrapArray('long', sequences) };
}

async function cancelScheduled({ broker, path, perform }: ManagementContext, body: Body): Promise<ManagementReply> {
  const list = readList(body['sequence-numbers'], 'sequence-numbers');
  const sequences = list.map((sequence) => readNumber(sequence, 'sequence-numbers'));
  const { schedule } = broker.sendTarget(path);
  await perform('cancelScheduled', () => schedule.cancel(sequences));
  return {};
}

function readTokens(body: Body): Buffer[] {
  return readList(body['lock-tokens'], 'lock-tokens').map((token) => readBytes(token, 'lock-tokens'));
}

function readText(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : String(value);
}

type Settlement = 'complete' | 'abandon' | 'deadLetter';

function readSettlement(status: unknown): Settlement {
  switch (status) {
    case 'completed':
      return 'complete';
    case 'abandoned':
      return 'abandon';
    case 'suspended':
      return 'deadLetter';
    case 'defered':
      throw unsupported('Deferring messages is');
    default:
      throw invalidArgument(`disposition-status: unknown value '${String(status)}'`);
  }
}

function settle(queue: MessageQueue, settlement: Settlement, token: Buffer, why: DeadLetterReason): void {
  if (settlement === 'complete') queue.complete(token);
  else if (settlement === 'abandon') queue.abandon(token, why.properties);
  else queue.deadLetter(token, why);
}

async function updateDisposition({ broker, path, perform }: ManagementContext, body: Body): Promise<ManagementReply> {
  const queue = broker.queue(path);
  const tokens = readTokens(body);
  const settlement = readSettlement(body['disposition-status']);
  const why: DeadLetterReason = {
    reason: readText(body['deadletter-reason']),
    description: readText(body['deadletter-description']),
    properties: (body['properties-to-modify'] ?? {}) as Properties,
  };
  await perform(settlement, () => {
    for (const token of tokens) settle(queue, settlement, token, why);
  });
  return {};
}

function enumerateRules({ broker, path }: ManagementContext, body: Body): ManagementReply {
  const skip = readNumber(body.skip ?? 0, 'skip');
  const top = readNumber(body.top ?? Number.MAX_SAFE_INTEGER, 'top');
  const rules = broker
    .rules(path)
    .list()
    .slice(skip, skip + top);
  return rules.length > 0 ? { rules: rules.map(describeRule) } : undefined;
}

async function addRule({ broker, path, perform }: ManagementContext, body: Body): Promise<ManagementReply> {
  const rules = broker.rules(path);
  const rule = readRule(body);
  await perform('addRule', () => rules.add(rule));
  return {};
}

async function removeRule({ broker, path, perform }: ManagementContext, body: Body): Promise<ManagementReply> {
  const rules = broker.rules(path);
  await perform('removeRule', () => rules.remove(String(body['rule-name'])));
  return {};
}

const handlers: Readonly<Record<string, Handler>> = {
  'com.microsoft:peek-message': peek,
  'com.microsoft:renew-lock': renewLock,
  'com.microsoft:schedule-message': schedule,
  'com.microsoft:cancel-scheduled-message': cancelScheduled,
  'com.microsoft:update-disposition': updateDisposition,
  'com.microsoft:enumerate-rules': enumerateRules,
  'com.microsoft:add-rule': addRule,
  'com.microsoft:remove-rule': removeRule,
};

/** Runs a management operation. Throws the error for the client, also for an unknown operation. */
export async function manage(context: ManagementContext, operation: string, body: Body): Promise<ManagementReply> {
  const handler = Object.hasOwn(handlers, operation) ? handlers[operation] : undefined;
  if (!handler) throw unsupported(`The operation '${operation}' is`);
  return handler(context, body);
}
