import type { RpcCookie } from '../../worker-protocol.ts';

/** Formats a Set-Cookie header, with the same order and spelling of attributes as in the real host. */
export function formatCookie(cookie: RpcCookie): string {
  const parts = [`${cookie.name ?? ''}=${encodeURIComponent(cookie.value ?? '')}`];
  if (cookie.expires) parts.push(`expires=${new Date(cookie.expires.value.seconds * 1000).toUTCString()}`);
  if (cookie.maxAge) parts.push(`max-age=${Math.trunc(cookie.maxAge.value)}`);
  if (cookie.domain) parts.push(`domain=${cookie.domain.value}`);
  parts.push(`path=${cookie.path?.value ?? '/'}`);
  if (cookie.secure?.value) parts.push('secure');
  const sameSite = readSameSite(cookie.sameSite);
  if (sameSite) parts.push(`samesite=${sameSite}`);
  if (cookie.httpOnly?.value) parts.push('httponly');
  return parts.join('; ');
}

// The protocol's enum: None 0 (attribute absent), Lax 1, Strict 2, ExplicitNone 3. The library sends names.
function readSameSite(value: string | number | undefined): string | undefined {
  switch (value) {
    case 'Lax':
    case 'lax':
    case 1:
      return 'lax';
    case 'Strict':
    case 'strict':
    case 2:
      return 'strict';
    case 'ExplicitNone':
    case 'explicitNone':
    case 3:
      return 'none';
    default:
      return undefined;
  }
}
