/**
 * The connections on which the Functions host waits for answers. The library writes a streamed answer to a server of its own, to
 * which the host forwards requests. It writes without waiting for the client, and leaves the connection open if the body
 * fails: the host waits until functionTimeout, then ends the worker with all its invocations (seen on the host 4.1037 with the
 * library 4.16; Azure/azure-functions-nodejs-library#324). The library does not pass on its response, but Node.js announces it.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

type Sink = Pick<ServerResponse, 'destroy' | 'destroyed' | 'writableNeedDrain' | 'once' | 'off'>;

const waiting = new Map<string, Sink>();

subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: Pick<IncomingMessage, 'headers'>; response: Sink };
  const id = request.headers['x-ms-invocation-id'];
  if (typeof id !== 'string') return;
  waiting.set(id, response);
  response.once('close', () => waiting.delete(id));
});

/** The connection of one answer. */
export interface Connection {
  /** Waits until the client has read what was sent. Resolves with false if it is gone. */
  ready(): Promise<boolean>;
  /** Ends the connection, so that the client sees an incomplete answer. */
  cut(): void;
}

/** Returns the connection of an invocation. Without a known one, `ready` does not wait and `cut` has no effect. */
export function connectionOf(invocationId: string): Connection {
  const sink = waiting.get(invocationId);
  return {
    ready: async () => {
      if (sink?.writableNeedDrain && !sink.destroyed) await drained(sink);
      return sink?.destroyed !== true;
    },
    cut: () => void sink?.destroy(),
  };
}

const drained = (sink: Sink): Promise<void> =>
  new Promise((resolve) => {
    const onReady = (): void => {
      sink.off('drain', onReady).off('close', onReady);
      resolve();
    };
    sink.once('drain', onReady).once('close', onReady);
  });
