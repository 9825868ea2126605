/** The connections from the front to Azurite. */
import { Agent, request } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type Body, type CallHead, headerOf, type PassingAnswer, withoutHeaders } from './call.ts';
import type { ServicePorts } from './connection-string.ts';

/** Sends a call to the service. The answer's body is a stream. Rejects if the service is unavailable. */
export type Send = (head: CallHead, body: Body) => Promise<PassingAnswer>;

/** 8 KiB of metadata in pairs of two bytes need 64 KiB of headers, more than Node's default of 16 KiB. */
export const MAX_HEADER_BYTES = 128 * 1024;

/** Headers that belong to one connection. Node writes its own. */
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding']);

/**
 * Azurite closes a connection after 5 s without a call. The front closes it earlier, so that no call is sent on a closed one.
 */
const IDLE_MS = 4_000;

/** Creates connections to the services on 127.0.0.1, which stay open between calls. */
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
  // The signature covers Content-Length. A body that came without the header is sent without it.
  if (headerOf(head.headers, 'transfer-encoding') !== undefined) headers['Transfer-Encoding'] = 'chunked';
  return headers;
}
