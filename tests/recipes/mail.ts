import { defineWorkload, type ItemContext, Reject, Retry } from 'sluice';
import { z } from 'zod';

const mail = z.object({ to: z.string().min(3).max(254), subject: z.string().max(200), text: z.string().max(10_000) });
type Mail = z.infer<typeof mail>;

const status = z.enum(['accepted', 'rejected', 'deferred']);
const reply = z.object({
  answers: z.array(z.object({ status, id: z.string().optional(), reason: z.string().optional() })),
});
type Answer = z.infer<typeof reply>['answers'][number];

/** Sends up to 200 messages in one call. The provider sends once per key, and answers for each address. */
async function send(messages: readonly (Mail & { key: string })[], signal: AbortSignal): Promise<Answer[]> {
  const response = await fetch(`${process.env.MAIL_URL}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages }),
    signal: AbortSignal.any([signal, AbortSignal.timeout(20_000)]),
  });
  const text = await response.text();
  if (response.ok) return reply.parse(JSON.parse(text)).answers;
  // The call came too early, not an address: all of them wait, and so does every other instance.
  if (response.status === 429) {
    throw new Retry('The provider is busy.', { after: Number(response.headers.get('retry-after')) || 1 });
  }
  throw new Error(`The provider answered ${response.status}.`);
}

/** What an address came to. `after` is for the provider's own limit: a full mailbox must not slow the others down. */
function toOutput(to: string, { status, id, reason }: Answer): { to: string; id: string } | Error {
  if (status === 'accepted' && id !== undefined) return { to, id };
  return status === 'rejected' ? new Reject(`Rejected: "${reason}"`) : new Retry(`Deferred: "${reason}"`);
}

const domainOf = (to: string): string => to.slice(to.lastIndexOf('@') + 1);

export default defineWorkload({
  name: 'mail',
  version: 1,
  item: mail,
  mapChunk: async (mails: Mail[], contexts: ItemContext[]) => {
    const messages = mails.map((mail, i) => ({ ...mail, key: contexts[i]?.idempotencyKey ?? '' }));
    const answers = await send(messages, contexts[0]?.signal ?? AbortSignal.abort());
    if (answers.length !== mails.length) throw new Error(`Expected ${mails.length} answers, got ${answers.length}.`);
    return answers.map((answer, i) => toOutput(mails[i]?.to ?? '', answer));
  },
  group: { maxItems: 200 },
  rateLimit: { calls: 200, perSeconds: 60 },
  maxConcurrency: 800,
  concurrency: 4,
  chunk: { maxItems: 2_000 },
  secondsPerChunk: 3,
  timeoutSeconds: 30,
  lanes: ['transactional', 'bulk'],
  lane: ({ items }) => (items <= 1_000 ? 'transactional' : 'bulk'),
  deadlineSeconds: 3_600,
  reduce: {
    key: ({ to }) => domainOf(to),
    init: () => 0,
    add: (sent) => sent + 1,
    merge: (a, b) => a + b,
  },
});
