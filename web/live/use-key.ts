import { useRef } from 'preact/hooks';

/**
 * Gives the idempotency key of a request by its body: another body is another request; the same one again, after a lost
 * answer, is the same request.
 */
export function useKey(): (body: string) => string {
  const last = useRef({ body: '', key: '' });
  return (body) => {
    if (last.current.key === '' || last.current.body !== body) last.current = { body, key: crypto.randomUUID() };
    return last.current.key;
  };
}
