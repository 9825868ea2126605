import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { checkSasToken } from '../../../../src/service-bus/amqp/sas-token.ts';

const sharedKey = { name: 'owner', key: 'secret' };
const resource = 'sb%3A%2F%2Flocalhost%2Fevents';

function token({ key = 'secret', name = 'owner', se = '2000' } = {}): string {
  const signature = createHmac('sha256', key).update(`${resource}\n${se}`).digest('base64');
  return `SharedAccessSignature sr=${resource}&sig=${encodeURIComponent(signature)}&se=${se}&skn=${name}`;
}

test('a valid token returns its resource', () => {
  expect(checkSasToken(token(), sharedKey, 1_999_999)).toBe('sb://localhost/events');
});

test.for([
  ['another key', token({ key: 'other' }), /invalid signature or key name/],
  ['another name', token({ name: 'other' }), /invalid signature or key name/],
  ['a changed expiry', token().replace('se=2000', 'se=9000'), /invalid signature or key name/],
  ['a past expiry', token({ se: '1999' }), /expired/],
  ['no expiry', token({ se: 'never' }), /expired/],
  ['no signature', 'SharedAccessSignature sr=x&se=9000&skn=owner', /invalid signature or key name/],
  ['no token', 'Bearer x', /not a SharedAccessSignature/],
] as const)('%s is refused', ([, text, message]) => {
  expect(() => checkSasToken(text, sharedKey, 1_999_999)).toThrow(message);
});
