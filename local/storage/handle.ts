/** Carries out a call: the rules first, then the service. */
import type { Handle } from './client.ts';
import type { StorageAccount } from './connection-string.ts';
import type { Send } from './upstream.ts';

export interface HandleOptions {
  send: Send;
  accounts: readonly StorageAccount[];
}

export function handleCalls({ send }: HandleOptions): Handle {
  return (head, body) => send(head, body);
}
