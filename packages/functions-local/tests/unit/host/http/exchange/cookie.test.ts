import { describe, expect, it } from 'vitest';
import { formatCookie } from '../../../../../src/host/http/exchange/cookie.ts';

describe('formatCookie', () => {
  it('adds the path and encodes the value', () => {
    expect(formatCookie({ name: 'a', value: 'b c;' })).toBe('a=b%20c%3B; path=/');
  });

  it('writes the attributes in the order of the host', () => {
    const cookie = formatCookie({
      name: 'a',
      value: '1',
      httpOnly: { value: true },
      sameSite: 'explicitNone',
      secure: { value: true },
      path: { value: '/p' },
      domain: { value: 'd' },
      maxAge: { value: 5 },
      expires: { value: { seconds: 0 } },
    });
    expect(cookie).toBe(
      'a=1; expires=Thu, 01 Jan 1970 00:00:00 GMT; max-age=5; domain=d; path=/p; secure; samesite=none; httponly',
    );
  });
});
