import { expect, test } from 'vitest';
import { isLocalRequest } from '../../src/local-request.ts';

test.each([
  [{ host: '127.0.0.1:7071' }, true],
  [{ host: 'localhost' }, true],
  [{ host: 'LOCALHOST:80' }, true],
  [{ host: '[::1]:7071' }, true],
  [{ host: 'evil.example:7071' }, false],
  [{ host: 'localhost.evil.example' }, false],
  [{ host: '127.0.0.1.evil.example:7071' }, false],
  [{ host: 'localhost:7071', 'sec-fetch-site': 'none' }, true],
  [{ host: 'localhost:7071', 'sec-fetch-site': 'cross-site' }, false],
  [{ host: '' }, false],
  [{}, false],
])('a request with the headers %j comes from this machine: %s', (headers, isLocal) =>
  expect(isLocalRequest(headers)).toBe(isLocal),
);

test.each([
  ['http://127.0.0.1:3000', true],
  ['https://localhost', true],
  ['https://evil.example', false],
  ['http://127.0.0.1@evil.example', false],
  ['null', false],
])('a page of %s: %s', (origin, isLocal) => expect(isLocalRequest({ host: 'localhost:7071', origin })).toBe(isLocal));
