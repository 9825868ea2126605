import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from '../../src/ports.ts';

it('gives a preferred port as often as it is free', async () => {
  const port = await freePort();
  expect(await freePort(port)).toBe(port);
  expect(await freePort(port)).toBe(port);
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  expect(await freePort(port)).not.toBe(port);
  server.close();
});
