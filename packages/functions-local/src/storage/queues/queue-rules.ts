import type { Request } from '../request.ts';
import { metadataRules, nameRule } from '../rules/common-rules.ts';
import { bodyTooLarge, invalidParameter, outOfRangeParameter, type Rule } from '../rules/rule.ts';
import { readTextElement } from '../xml.ts';

/** The MaxLimit in answers of the live service. */
export const MAX_MESSAGE_BODY_BYTES = 131_584;
const MAX_MESSAGE_TEXT_BYTES = 64 * 1024;
const MAX_SECONDS = 7 * 24 * 60 * 60;
const MAX_MESSAGES = 32;

const WITH_TEXT = ['put-message', 'update-message'] as const;

/** Update Message can have no body. Then the text does not change. */
const textOf = ({ body }: Request) => (body.length === 0 ? '' : readTextElement(body, 'QueueMessage', 'MessageText'));

/** In the assumed order of the service's checks. */
export const QUEUE_RULES: readonly Rule[] = [
  nameRule('queue-name'),
  ...metadataRules('queue', ['create-queue', 'set-queue-metadata']),
  {
    id: 'receive-count',
    on: ['get-messages', 'peek-messages'],
    check: ({ query }) => range(query, 'numofmessages', 1, MAX_MESSAGES),
  },
  {
    id: 'receive-visibility',
    on: ['get-messages'],
    check: ({ query }) => range(query, 'visibilitytimeout', 1, MAX_SECONDS),
  },
  {
    id: 'put-visibility',
    on: WITH_TEXT,
    check: ({ query }) => range(query, 'visibilitytimeout', 0, MAX_SECONDS),
  },
  {
    id: 'put-time-to-live',
    on: ['put-message'],
    check: ({ query }) => {
      const value = query.get('messagettl');
      if (value === null || value === '-1') return undefined;
      return range(query, 'messagettl', 1, Number.MAX_SAFE_INTEGER);
    },
  },
  {
    id: 'put-visibility-below-ttl',
    on: ['put-message'],
    check: ({ query }) => {
      const value = query.get('visibilitytimeout') ?? '0';
      const ttl = Number(query.get('messagettl') ?? MAX_SECONDS);
      if (ttl === -1 || Number(value) < ttl) return undefined;
      return invalidParameter('visibilitytimeout', value, 'messagettl must be greater than visibilitytimeout.');
    },
  },
  {
    id: 'message-xml',
    on: WITH_TEXT,
    check: (request) => {
      const text = textOf(request);
      if (typeof text === 'string') return undefined;
      const { line, position, reason } = text;
      return {
        status: 400,
        code: 'InvalidXmlDocument',
        message: 'XML specified is not syntactically valid.',
        details: { LineNumber: String(line), LinePosition: String(position), Reason: reason },
      };
    },
  },
  {
    id: 'message-size',
    on: WITH_TEXT,
    check: (request) => {
      const text = textOf(request);
      if (typeof text !== 'string' || Buffer.byteLength(text) <= MAX_MESSAGE_TEXT_BYTES) return undefined;
      return { status: 400, code: 'MessageTooLarge', message: 'The message exceeds the maximum allowed size.' };
    },
  },
];

/** Detected while the body is read. */
export const messageBodyTooLarge = { rule: 'message-body-size', ...bodyTooLarge(MAX_MESSAGE_BODY_BYTES) };

function range(query: URLSearchParams, name: string, minimum: number, maximum: number) {
  const value = query.get(name);
  if (value === null) return undefined;
  const number = /^-?\d+$/.test(value) ? Number(value) : Number.NaN;
  return number >= minimum && number <= maximum ? undefined : outOfRangeParameter(name, value, minimum, maximum);
}
