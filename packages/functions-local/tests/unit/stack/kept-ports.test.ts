import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { freePort } from '../../../src/ports.ts';
import { keepPorts, PortInUseError } from '../../../src/stack/kept-ports.ts';

let folder: string;
let messages: string[];
const servers: Server[] = [];
const keep = () => keepPorts(folder, (line) => void messages.push(line));
async function occupy(port = 0): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kept-ports-'));
  messages = [];
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await rm(folder, { recursive: true, force: true });
});

it('returns the ports of the last run again', async () => {
  const first = [await keep().take({ name: 'Blob storage' }), await keep().take({ name: 'Service Bus' })];
  const again = keep();
  expect([await again.take({ name: 'Blob storage' }), await again.take({ name: 'Service Bus' })]).toEqual(first);
  expect(messages).toEqual([]);
});

it('replaces a port that is in use, reports it, and keeps the replacement', async () => {
  const port = await keep().take({ name: 'Blob storage' });
  await occupy(port);
  const other = await keep().take({ name: 'Blob storage' });
  expect(messages[0]).toMatch(
    new RegExp(`^Port ${port} is in use( by .+ \\(process \\d+\\))?: Blob storage uses ${other} instead$`),
  );
  expect(await keep().take({ name: 'Blob storage' })).toBe(other);
});

it('uses the preferred port in a folder without one, and any other if that is in use', async () => {
  const preferred = await freePort();
  expect(await keep().take({ name: 'the app', preferred })).toBe(preferred);
  const taken = await occupy();
  const other = await keep().take({ name: 'Service Bus', preferred: taken });
  expect(other).not.toBe(taken);
  expect(messages[0]).toContain(`Service Bus uses ${other} instead`);
});

it('refuses if the required port is in use, and does not change the folder', async () => {
  const port = await keep().take({ name: 'the app' });
  const required = await occupy();
  const error = await keep()
    .take({ name: 'the app', required })
    .catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(PortInUseError);
  expect((error as Error).message).toContain(`port ${required} of 127.0.0.1 is in use`);
  expect(JSON.parse(await readFile(join(folder, 'ports.json'), 'utf8'))).toEqual({ 'the app': port });
});

it.each(['', '{', 'null', '{"the app":"x"}', '{"the app":70000}'])(
  'starts without ports if the file contains %j',
  async (text) => {
    await writeFile(join(folder, 'ports.json'), text);
    const preferred = await freePort();
    expect(await keep().take({ name: 'the app', preferred })).toBe(preferred);
  },
);
