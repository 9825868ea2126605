import type { IncomingMessage } from 'node:http';

/** The keys that open the webhooks; without a system key they are open. */
export interface WebhookKeys {
  systemKey?: string;
  /** Opens everything that the system key opens. */
  masterKey?: string;
}

/**
 * Whether a request may use the webhooks. The key is the header `x-functions-key`, else the query's `code`, as for
 * functions.
 */
export function isWebhookOpen(request: Pick<IncomingMessage, 'url' | 'headers'>, keys: WebhookKeys): boolean {
  if (!keys.systemKey) return true;
  const header = request.headers['x-functions-key'];
  const key = header ?? new URL(request.url ?? '', 'http://localhost').searchParams.get('code');
  return typeof key === 'string' && key !== '' && (key === keys.systemKey || key === keys.masterKey);
}
