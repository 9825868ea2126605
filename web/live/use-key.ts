import { useRef } from 'preact/hooks';

/**
 * Provides the idempotency key of a request by its body. A request with the same body, for example after a lost
 * response, gets the same key; another body gets a new key.
 */
export function useKey(): (request: unknown) => string {
  const last = useRef({ body: '', key: '' });
  return (request) => {
    const body = JSON.stringify(request);
    if (last.current.key === '' || last.current.body !== body) last.current = { body, key: crypto.randomUUID() };
    return last.current.key;
  };
}
