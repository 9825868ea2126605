/** A separate pop receipt for each message: Azurite returns the same receipt for all messages of one Get. */
import { type PassingAnswer, readBody } from '../call.ts';
import { withQuery } from '../pages.ts';
import type { Request } from '../request.ts';
import type { Refusal } from '../rules/refusal.ts';

const MARK = 'own';
const IN_ANSWER = /(<MessageId>([^<]*)<\/MessageId>.*?<PopReceipt>)([^<]*)(<\/PopReceipt>)/gs;

/** Adds to each receipt in the answer of Get Messages the id of its message. */
export async function withOwnReceipts(answer: PassingAnswer): Promise<PassingAnswer> {
  const text = (await readBody(answer.body)).toString();
  const own = text.replace(IN_ANSWER, (_match, before: string, id: string, receipt: string, after: string) => {
    const encoded = Buffer.from([MARK, id, receipt].join(' ')).toString('base64');
    return `${before}${encoded}${after}`;
  });
  return { ...answer, body: Buffer.from(own) };
}

/**
 * Returns why a receipt does not belong to the message, or undefined. Receipts of Put and Update are not checked, since
 * Azurite creates them per message.
 */
export function receiptRefusal(request: Request): Refusal | undefined {
  const own = readReceipt(request);
  if (own === undefined || own.id === request.item) return undefined;
  const message = 'The specified message does not exist.';
  return { rule: 'own-receipt', status: 404, code: 'MessageNotFound', message };
}

/** Returns the URL of Update or Delete Message with Azurite's receipt. */
export function withAzuriteReceipt(request: Request): string {
  const own = readReceipt(request);
  return own === undefined ? request.head.url : withQuery(request.head.url, { popreceipt: own.receipt });
}

function readReceipt({ operation, query }: Request): { id: string; receipt: string } | undefined {
  if (operation !== 'update-message' && operation !== 'delete-message') return undefined;
  const text = Buffer.from(query.get('popreceipt') ?? '', 'base64').toString();
  const [mark, id = '', receipt = ''] = text.split(' ');
  return mark === MARK ? { id, receipt } : undefined;
}
