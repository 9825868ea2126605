/**
 * A typical mail provider: a maximum number of calls per period, up to 200 addresses per call, and a result for each.
 */
import { type CountingServer, type CountingServerOptions, startCountingServer } from './counting-server.ts';

const MAX_ADDRESSES = 200;

interface Message {
  key: string;
  to: string;
}

export interface MailProvider extends CountingServer {
  /** Addresses that mail was sent to, by idempotency key. */
  sent: Map<string, string>;
}

/**
 * Starts a provider. The address determines the result: one that begins with `gone` is rejected, one that begins with
 * `full` is deferred at its first call, and mail to all others is sent once per key.
 */
export async function startMailProvider(
  options: Pick<CountingServerOptions, 'limit' | 'latencyMs'>,
): Promise<MailProvider> {
  const sent = new Map<string, string>();
  const deferred = new Set<string>();
  const answerOf = ({ key, to }: Message): object => {
    if (to.startsWith('gone')) return { status: 'rejected', reason: `no mailbox "${to}"` };
    if (to.startsWith('full') && !deferred.has(key)) {
      deferred.add(key);
      return { status: 'deferred', reason: 'mailbox full' };
    }
    sent.set(key, to);
    return { status: 'accepted', id: `<${key}@provider>` };
  };
  const server = await startCountingServer({
    ...options,
    answer: (body) => {
      const { messages } = body as { messages: Message[] };
      if (messages.length > MAX_ADDRESSES) throw new Error(`${messages.length} addresses in one call`);
      return { items: messages.length, body: { answers: messages.map(answerOf) } };
    },
  });
  return { ...server, sent };
}
