import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, it, vi } from 'vitest';
import { freePort } from '../../src/ports.ts';

vi.mock('node:crypto', async (original) => {
  const actual = await original<typeof import('node:crypto')>();
  return { ...actual, randomInt: vi.fn(actual.randomInt) };
});

it('gives a preferred port as often as it is free', async () => {
  const port = await freePort();
  expect(await freePort(port)).toBe(port);
  expect(await freePort(port)).toBe(port);
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  expect(await freePort(port)).not.toBe(port);
  server.close();
});

it('gives any other port once', async () => {
  const port = await freePort();
  vi.mocked(randomInt).mockImplementationOnce(() => port);
  expect(await freePort()).not.toBe(port);
});
