import type { Writable } from 'node:stream';
import { ReadableStream } from 'node:stream/web';
import { whenDrained } from './proxied-response.ts';

/**
 * Returns the handler's result with a body that waits for the client. The library itself writes as fast as the body is
 * produced: a slow client of a response of 1 GiB made a process use 1.19 GB. Stops the body's source when the client
 * disconnects.
 */
export function withBackpressure(result: unknown, sink: Writable): unknown {
  if (typeof result !== 'object' || result === null || !('body' in result)) return result;
  const { body } = result;
  if (!isAsyncIterable(body)) return result;
  const paced = ReadableStream.from(pace(body, sink));
  // On an HttpResponse, `body` is a getter of its class. An own property overrides it and leaves the other members unchanged.
  if (Object.getPrototypeOf(result) === Object.prototype) return { ...result, body: paced };
  return Object.defineProperty(result, 'body', { value: paced, configurable: true });
}

async function* pace(source: AsyncIterable<unknown>, sink: Writable): AsyncGenerator<unknown, void, undefined> {
  for await (const chunk of source) {
    if (!sink.destroyed && sink.writableNeedDrain) await whenDrained(sink);
    if (sink.destroyed) return;
    yield chunk;
  }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
