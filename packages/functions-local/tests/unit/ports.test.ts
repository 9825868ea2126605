import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { freePort } from '../../src/ports.ts';

it('returns a preferred port whenever it is free', async () => {
  const port = await freePort();
  expect(await freePort(port)).toBe(port);
  expect(await freePort(port)).toBe(port);
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  expect(await freePort(port)).not.toBe(port);
  server.close();
});

// A port of an earlier run. A process that has reserved it since may have assigned it to a part that does not listen yet.
it('does not return a preferred port that another process has reserved', async () => {
  const source = new URL('../../src/ports.ts', import.meta.url);
  const script = `
    const { freePort } = await import('${source}');
    console.log(await freePort());
    process.stdin.resume();`;
  const args = ['--input-type=module', '--eval', script];
  const other = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = await once(createInterface({ input: other.stdout }), 'line');
  const port = Number(line);
  expect(await freePort(port)).not.toBe(port);

  other.stdin.end();
  await once(other, 'exit');
  expect(await freePort(port)).toBe(port);
});

it('returns any other port only once', async () => {
  const ports = await Promise.all(Array.from({ length: 200 }, () => freePort()));
  expect(new Set(ports).size).toBe(200);
});

// The parts of two stacks choose their ports before they listen. Two stacks with the same choice would collide.
it('returns no port to two processes that run at the same time', async () => {
  const source = new URL('../../src/ports.ts', import.meta.url);
  const script = `
    const { freePort } = await import('${source}');
    const ports = [];
    for (let n = 0; n < 300; n += 1) ports.push(await freePort());
    console.log(JSON.stringify(ports));
    // The processes run until all have chosen.
    process.stdin.resume();`;
  const args = ['--input-type=module', '--eval', script];
  const children = [1, 2, 3, 4].map(() => spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
  const lines = await Promise.all(children.map(({ stdout }) => once(createInterface({ input: stdout }), 'line')));
  for (const { stdin } of children) stdin.end();
  const ports = lines.flatMap(([line]) => JSON.parse(line) as number[]);
  expect(ports).toHaveLength(1_200);
  expect(new Set(ports).size).toBe(1_200);
});
