/** The real service behind the front. */
import { Agent, request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type Body, type CallHead, headerOf, type PassingAnswer, withoutHeaders } from './call.ts';
import type { ServicePorts } from './connection-string.ts';

/** Makes the call of the service; the answer's body is a stream. Rejects when the service cannot be reached. */
export type Send = (head: CallHead, body: Body) => Promise<PassingAnswer>;

/** 8 KiB of metadata in pairs of two bytes is 64 KiB of headers, above Node's 16 KiB. */
export const MAX_HEADER_BYTES = 128 * 1024;

/** These belong to one connection, and Node writes its own. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/** Azurite closes a connection that is idle for 5 s: the front closes it before, so that no call is sent on a closed one. */
const IDLE_MS = 4_000;

/** Connections to the services on 127.0.0.1, kept open between calls. */
export function connectUpstream(ports: ServicePorts): { send: Send; close(): void } {
  const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });
  return { send: (head, body) => send(agent, ports, head, body), close: () => agent.destroy() };
}

function send(agent: Agent, ports: ServicePorts, head: CallHead, body: Body): Promise<PassingAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      agent,
      host: '127.0.0.1',
      port: ports[head.service],
      method: head.method,
      path: head.url,
      headers: outgoingHeaders(head),
      maxHeaderSize: MAX_HEADER_BYTES,
    });
    outgoing.once('response', (answer) => {
      const headers = withoutHeaders(answer.rawHeaders, HOP_BY_HOP);
      resolve({ status: answer.statusCode ?? 502, headers, body: answer });
    });
    outgoing.once('error', reject);
    if (Buffer.isBuffer(body)) outgoing.end(body.length > 0 ? body : undefined);
    else pipeline(body, outgoing).catch(reject);
  });
}

function outgoingHeaders(head: CallHead): Record<string, string> {
  const headers: Record<string, string> = {};
  const kept = withoutHeaders(head.headers, HOP_BY_HOP);
  for (let index = 0; index < kept.length; index += 2) headers[kept[index] ?? ''] = kept[index + 1] ?? '';
  // A signature covers Content-Length: a body that came without one goes on without one.
  if (headerOf(head.headers, 'transfer-encoding') !== undefined) headers['Transfer-Encoding'] = 'chunked';
  return headers;
}
