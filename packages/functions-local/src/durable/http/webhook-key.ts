import type { IncomingMessage } from 'node:http';

/** The keys of the webhooks. Without a system key, no key is required. */
export interface WebhookKeys {
  systemKey?: string;
  /** Accepted wherever the system key is accepted. */
  masterKey?: string;
}

/**
 * Whether a request may use the webhooks. The key is the header `x-functions-key`, otherwise the query's `code`, as for
 * functions.
 */
export function isWebhookOpen(request: Pick<IncomingMessage, 'url' | 'headers'>, keys: WebhookKeys): boolean {
  if (!keys.systemKey) return true;
  const header = request.headers['x-functions-key'];
  const key = header ?? new URL(request.url ?? '', 'http://localhost').searchParams.get('code');
  return typeof key === 'string' && key !== '' && (key === keys.systemKey || key === keys.masterKey);
}
