/** A process that responds to every request after a fixed delay in milliseconds; sends its port to its parent. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const latencyMs = Number(process.argv[2]);
const BODY = '{"ok":true}';
const HEAD = { 'content-type': 'application/json', 'content-length': BODY.length };
/** Longer than any pause of a run: a connection closed during a call would be an error of the server. */
const KEEP_ALIVE_MS = 60_000;

const server = createServer((request, response) => {
  request.resume();
  setTimeout(() => response.writeHead(200, HEAD).end(BODY), latencyMs);
});
server.keepAliveTimeout = KEEP_ALIVE_MS;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit(0));
