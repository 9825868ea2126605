import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostProcess, startHostProcess } from '../../helpers/host-process.ts';

let host: HostProcess;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keys-'));
  const keys = { master: 'M', host: 'H', functions: { keyed: { default: 'F' } } };
  await writeFile(join(folder, 'keys.json'), JSON.stringify(keys));
  host = await startHostProcess({
    appFolder: fileURLToPath(new URL('fixtures/stream-app', import.meta.url)),
    args: ['--enable-auth', '--keys', join(folder, 'keys.json')],
    env: { RESCUE: '1' },
  });
});
afterAll(async () => {
  await host.stop();
  await rm(folder, { recursive: true });
});

async function status(path: string, init: RequestInit = {}): Promise<number> {
  const answer = await fetch(`${host.url}${path}`, init);
  await answer.arrayBuffer();
  return answer.status;
}

describe('function keys', () => {
  it.each([
    ['/api/nothing', 204],
    ['/api/keyed', 401],
    ['/api/keyed?code=wrong', 401],
    ['/api/keyed?code=F', 200],
    ['/api/keyed?code=H', 200],
    ['/api/keyed?code=M', 200],
    ['/api/owner?code=H', 401],
    ['/api/owner?code=M', 200],
    ['/admin/host/status', 401],
    ['/admin/host/status?code=H', 401],
    ['/admin/host/status?code=M', 200],
  ])('answer %s with %d', async (path, expected) => expect(await status(path)).toBe(expected));

  it('prefers the header to the query', async () => {
    expect(await status('/api/keyed?code=F', { headers: { 'x-functions-key': 'wrong' } })).toBe(401);
    expect(await status('/api/keyed', { headers: { 'x-functions-key': 'F' } })).toBe(200);
  });

  it('accepts a removed key until the next start', async () => {
    await writeFile(join(folder, 'keys.json'), JSON.stringify({ master: 'M', host: 'H', functions: {} }));
    expect(await status('/api/keyed?code=F')).toBe(200);
  });
});

describe('admin API', () => {
  const run = (name: string, body: string) => status(`/admin/functions/${name}?code=M`, { method: 'POST', body });

  it('runs a timer manually', async () => {
    expect(await run('every-second', '{"input":""}')).toBe(202);
    await host.waitFor(/Executing 'Functions\.every-second' \(Reason='This function was programmatically called/);
  });

  it('accepts only known functions and JSON', async () => {
    expect(await run('unknown', '{}')).toBe(404);
    expect(await run('from-queue', '{}')).toBe(404);
    expect(await run('every-second', 'no json')).toBe(400);
  });
});

describe('hooks', () => {
  it('allow a postInvocation hook to replace a failure with an answer', async () => {
    const answer = await fetch(`${host.url}/api/fail`);
    expect(answer.status).toBe(418);
    expect(await answer.text()).toBe('rescued');
  });

  it('allow a log hook to change what is printed', async () => {
    await host.waitFor(/TICK false/);
  });
});
