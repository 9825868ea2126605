import { beforeEach, expect, test } from 'vitest';
import { ExchangeWatch } from '../../../src/router/exchange-watch.ts';

const bytes = (text: string) => Buffer.from(text);
let watch: ExchangeWatch;
beforeEach(() => {
  watch = new ExchangeWatch();
});

test('a request waits until its answer begins', () => {
  expect(watch.sent(bytes('POST /api/batches HTTP/1.1\r\n'))).toBe(true);
  expect(watch.isUnanswered).toBe(true);
  watch.received(bytes('HTTP/1.1 202 Accepted\r\n'));
  expect(watch.isUnanswered).toBe(false);
});

test('a body is no request: an answer that came before its end has begun', () => {
  watch.sent(bytes('POST /api/batches HTTP/1.1\r\n'));
  watch.received(bytes('HTTP/1.1 413 Content Too Large\r\n'));
  expect(watch.sent(bytes('{"id":"tx-1"}\n'))).toBe(false);
  expect(watch.isUnanswered).toBe(false);
});

test('each request over a connection that is kept alive waits for an answer of its own', () => {
  watch.sent(bytes('GET /api/who HTTP/1.1\r\n'));
  watch.received(bytes('HTTP/1.1 200 OK\r\n'));
  expect(watch.sent(bytes('GET /api/who HTTP/1.1\r\n'))).toBe(true);
  expect(watch.isUnanswered).toBe(true);
});

test('an invitation to send the body is no answer', () => {
  watch.sent(bytes('POST /api/batches HTTP/1.1\r\n'));
  watch.received(bytes('HTTP/1.1 100 Continue\r\n\r\n'));
  expect(watch.isUnanswered).toBe(true);
});
