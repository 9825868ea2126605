/** Executes a call: first the rules of the request, then the service, then the rules of its answer. */

import { listPage } from './blobs/blob-pages.ts';
import { BLOB_RULES, blockListTooLarge, MAX_BLOCK_LIST_BYTES } from './blobs/blob-rules.ts';
import { createBlockLedger } from './blobs/blocks.ts';
import { existsBlob } from './blobs/exists-blob.ts';
import {
  type Body,
  BodyTooLargeError,
  type CallHead,
  type PassingAnswer,
  readBody,
  type StorageService,
} from './call.ts';
import type { StorageAccount } from './connection-string.ts';
import type { Operation } from './operation.ts';
import { MAX_MESSAGE_BODY_BYTES, messageBodyTooLarge, QUEUE_RULES } from './queues/queue-rules.ts';
import { receiptRefusal, withAzuriteReceipt, withOwnReceipts } from './queues/receipts.ts';
import { parseRequest, type Request } from './request.ts';
import { answerRefusalOf } from './rules/answer-rules.ts';
import { COMMON_RULES } from './rules/common-rules.ts';
import { createDeletedNames } from './rules/deleted-names.ts';
import { answerRefusal, answerTransactionRefusal, type Refusal } from './rules/refusal.ts';
import { type Rule, refusalOf } from './rules/rule.ts';
import { signAnew } from './rules/shared-key.ts';
import type { ClientView, Handle } from './serve-call.ts';
import { queryPage } from './tables/table-pages.ts';
import { MAX_TABLE_BODY_BYTES, refusedOperation, TABLE_RULES, tableBodyTooLarge } from './tables/table-rules.ts';
import { withoutLineSeparators } from './tables/transaction.ts';
import type { Send } from './upstream.ts';

export interface HandleOptions {
  send: Send;
  accounts: readonly StorageAccount[];
}

const RULES: Record<StorageService, readonly Rule[]> = { blob: BLOB_RULES, queue: QUEUE_RULES, table: TABLE_RULES };

const MESSAGE = { limit: MAX_MESSAGE_BODY_BYTES, tooLarge: messageBodyTooLarge };
const TABLE = { limit: MAX_TABLE_BODY_BYTES, tooLarge: tableBodyTooLarge };
const BLOCK_LIST = { limit: MAX_BLOCK_LIST_BYTES, tooLarge: blockListTooLarge };

/** Operations whose body is read by rules, with the maximum length of the body. All other bodies are streamed. */
const READ: Readonly<Partial<Record<Operation, { limit: number; tooLarge: Refusal }>>> = {
  'put-message': MESSAGE,
  'update-message': MESSAGE,
  'create-table': TABLE,
  'insert-entity': TABLE,
  'replace-entity': TABLE,
  'merge-entity': TABLE,
  transaction: TABLE,
  'put-block-list': BLOCK_LIST,
};

/** Creates the handler of all clients' calls, with the state that Azurite does not keep as Azure does. */
export function handleCalls({ send, accounts }: HandleOptions): Handle {
  const blocks = createBlockLedger();
  const names = createDeletedNames();

  const stateRefusal = async (request: Request, { nowMs }: ClientView): Promise<Refusal | undefined> =>
    receiptRefusal(request) ??
    blocks.refusal(request) ??
    names.refusal(request, nowMs()) ??
    (await existsBlob(request, (changed) => send(signAnew(request.head, changed, accounts), Buffer.alloc(0))));

  const carryOut = async (request: Request, body: Body, view: ClientView): Promise<PassingAnswer> => {
    const { head } = request;
    const sendTo = (url: string): Promise<PassingAnswer> =>
      send(url === head.url ? head : signAnew(head, { ...head, url }, accounts), body);
    if (request.operation === 'query-entities') return queryPage(request, view, sendTo);
    if (request.operation === 'list-blobs') return listPage(request, view, sendTo);
    if (request.operation === 'get-messages') return withOwnReceipts(await send(head, body));
    if (request.operation === 'transaction') {
      const escaped = withoutLineSeparators(head, request.body);
      return send(escaped.head, escaped.body);
    }
    return sendTo(withAzuriteReceipt(request));
  };

  return async (head, incoming, view) => {
    const { request, body, tooLarge } = await readRequest(head, incoming);
    const busy = view.throttle?.refusalOf(request);
    if (busy !== undefined) return answerRefusal(head, busy);
    const refusal = tooLarge ?? refusalOf(COMMON_RULES, request, view) ?? refusalOf(RULES[head.service], request, view);
    if (refusal !== undefined) return answerRefusal(head, refusal);
    if (request.operation === 'transaction') {
      const refused = refusedOperation(request, view);
      if (refused !== undefined) return answerTransactionRefusal(head, refused.refusal, refused.index);
    }
    const stateful = await stateRefusal(request, view);
    if (stateful !== undefined) return answerRefusal(head, stateful);
    const answer = await carryOut(request, body, view);
    const instead = answerRefusalOf(request, answer);
    if (instead !== undefined) {
      await readBody(answer.body);
      return answerRefusal(head, instead);
    }
    if (answer.status < 300) {
      blocks.done(request);
      names.done(request, view.nowMs());
    }
    return answer;
  };
}

/** Returns the request with its body if a rule reads it, otherwise the body as a stream. */
async function readRequest(
  head: CallHead,
  incoming: Body,
): Promise<{ request: Request; body: Body; tooLarge?: Refusal }> {
  const request = parseRequest(head);
  const read = READ[request.operation];
  if (read === undefined) return { request, body: incoming };
  try {
    const body = await readBody(incoming, read.limit);
    return { request: { ...request, body }, body };
  } catch (error) {
    if (!(error instanceof BodyTooLargeError)) throw error;
    return { request, body: Buffer.alloc(0), tooLarge: read.tooLarge };
  }
}
