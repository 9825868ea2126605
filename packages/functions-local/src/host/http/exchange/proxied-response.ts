import type { EventEmitter } from 'node:events';
import type { OutgoingHttpHeader, ServerResponse } from 'node:http';
import { Writable } from 'node:stream';

/** The response object that the library's proxy server receives. */
export type ProxiedResponse = Writable & {
  statusCode: number;
  setHeader(name: string, value: OutgoingHttpHeader): void;
  /** Whether the status line was passed to the client's response. */
  readonly begun: boolean;
};

/** Headers between library and host, or of a single connection. */
const HIDDEN = new Set(['x-ms-invocation-id', 'connection', 'keep-alive', 'transfer-encoding']);

/**
 * Creates a response for the library that writes to the client's response. The client may have received an answer already
 * (502 after the timeout). Then all later writes are dropped without an error in the function.
 */
export function createProxiedResponse(target: ServerResponse): ProxiedResponse {
  const state = { begun: false };
  const headers: [string, OutgoingHttpHeader][] = [];
  const isOpen = () => {
    if (!state.begun && (target.headersSent || target.destroyed)) return false;
    if (!state.begun) {
      state.begun = true;
      for (const [name, value] of headers) target.setHeader(name, value);
      target.statusCode = proxied.statusCode;
    }
    return !target.destroyed;
  };
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      if (!isOpen() || target.write(chunk)) done();
      else whenDrained(target).then(() => done(), done);
    },
    final: (done) => {
      if (isOpen()) target.end();
      done();
    },
  });
  const proxied = Object.assign(sink, {
    statusCode: 200,
    setHeader: (name: string, value: OutgoingHttpHeader) => {
      if (!HIDDEN.has(name.toLowerCase())) headers.push([name, value]);
    },
  });
  // Releases a reader that waits for the client. Writing to a destroyed stream is not an error.
  target.once('close', () => sink.destroy());
  return Object.defineProperty(proxied, 'begun', { get: () => state.begun }) as ProxiedResponse;
}

/** Resolves when a stream accepts more data, or is closed. */
export function whenDrained(stream: EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const settle = () => {
      stream.off('drain', settle);
      stream.off('close', settle);
      resolve();
    };
    stream.once('drain', settle);
    stream.once('close', settle);
  });
}
