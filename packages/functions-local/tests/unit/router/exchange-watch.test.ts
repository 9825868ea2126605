import { beforeEach, expect, test } from 'vitest';
import { ExchangeWatch } from '../../../src/router/exchange-watch.ts';

const bytes = (text: string) => Buffer.from(text);
let watch: ExchangeWatch;
beforeEach(() => {
  watch = new ExchangeWatch();
});

test('a request is unanswered until its answer starts', () => {
  expect(watch.sent(bytes('POST /api/batches HTTP/1.1\r\n'))).toBe(true);
  expect(watch.isUnanswered).toBe(true);
  watch.received(bytes('HTTP/1.1 202 Accepted\r\n'));
  expect(watch.isUnanswered).toBe(false);
});

test('a body is not a request: an answer before the end of the body counts', () => {
  watch.sent(bytes('POST /api/batches HTTP/1.1\r\n'));
  watch.received(bytes('HTTP/1.1 413 Content Too Large\r\n'));
  expect(watch.sent(bytes('{"id":"tx-1"}\n'))).toBe(false);
  expect(watch.isUnanswered).toBe(false);
});

test('each request on a keep-alive connection waits for its own answer', () => {
  watch.sent(bytes('GET /api/who HTTP/1.1\r\n'));
  watch.received(bytes('HTTP/1.1 200 OK\r\n'));
  expect(watch.sent(bytes('GET /api/who HTTP/1.1\r\n'))).toBe(true);
  expect(watch.isUnanswered).toBe(true);
});

test('100 Continue is not an answer', () => {
  watch.sent(bytes('POST /api/batches HTTP/1.1\r\n'));
  watch.received(bytes('HTTP/1.1 100 Continue\r\n\r\n'));
  expect(watch.isUnanswered).toBe(true);
});
