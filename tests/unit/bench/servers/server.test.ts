import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCommand } from '../../../../bench/servers/find-command.ts';
import { launchServer, runningServer } from '../../../../bench/servers/server.ts';
import { cpuSeconds, familyCpuSeconds } from '../../../../bench/stack/process-usage.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-servers-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const launch = (script: string) =>
  launchServer({ command: process.execPath, args: ['-e', script], ready: 'Ready to accept connections' });

describe('a server of the bench', () => {
  it('is ready when its output says so, and ends when it is stopped', async () => {
    const script = `
      process.once('SIGINT', () => process.exit(0));
      setInterval(() => {}, 1000);
      process.stderr.write('Ready to acc'); setTimeout(() => process.stderr.write('ept connections'), 10);`;
    const { pid = Number.NaN, stop } = await launch(script);
    expect(pid).toBeGreaterThan(0);
    await stop();
    await expect(async () => process.kill(pid, 0)).rejects.toThrow('ESRCH');
  });

  it('is reported with its output if it ends before that', async () => {
    await expect(launch("console.log('Address already in use')")).rejects.toThrow(
      /ended before it was ready: Address already in use/,
    );
  });

  it('is reported when its command cannot be started', async () => {
    const missing = launchServer({ command: join(folder, 'none'), args: [], ready: 'Ready' });
    await expect(missing).rejects.toThrow('could not be started');
  });
});

describe('a server at a given address', () => {
  it('is used unchanged', async () => {
    const listening = createServer().listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const { port } = listening.address() as AddressInfo;
    const url = `redis://127.0.0.1:${port}`;
    expect(await runningServer(url)).toMatchObject({ url, pid: undefined });
    listening.close();
    await once(listening, 'close');
    await expect(runningServer(url)).rejects.toThrow(`Expected a server at 127.0.0.1:${port}`);
  });
});

it('a command is found in a folder beside PATH, if it can be run', async () => {
  const file = join(folder, 'sluice-test-server');
  await writeFile(file, '#!/bin/sh\n');
  expect(findCommand('sluice-test-server', [folder])).toBeUndefined();
  await chmod(file, 0o755);
  expect(findCommand('sluice-test-server', [folder])).toBe(file);
  expect(findCommand('sluice-test-server')).toBeUndefined();
});

it('the CPU time of a process and its children is at least that of the process, if the system reports it', async () => {
  const own = await cpuSeconds(process.pid);
  // Unknown without /proc.
  expect((await familyCpuSeconds(process.pid)) ?? own).toBeGreaterThanOrEqual(own);
});
