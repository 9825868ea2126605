import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliProcess, runCli } from '../../helpers/cli-process.ts';

const APP = fileURLToPath(new URL('fixtures/orders-app', import.meta.url));

let data: string;
let cli: CliProcess;
let url: string;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'functions-local-'));
  cli = runCli(['start', APP, '--port', '0', '--data', data]);
  url = (await cli.waitFor(/^Host started on (http:\S+)$/m))[1] ?? '';
});
afterAll(async () => {
  await cli.stop();
  await rm(data, { recursive: true, force: true });
});

async function settledOrder(id: string): Promise<unknown> {
  for (let tries = 0; tries < 500; tries += 1) {
    const answer = await fetch(`${url}/api/orders/${id}`);
    const status = answer.ok ? ((await answer.json()) as { runtimeStatus: string }) : undefined;
    if (status?.runtimeStatus === 'Completed') return status;
    await sleep(20);
  }
  throw new Error(`The order ${id} was not settled:\n${cli.stdout()}\n${cli.stderr()}`);
}

describe('functions-local start', () => {
  it('prints the started services with addresses, and lists the functions', () => {
    expect(cli.stdout()).toContain(`State and logs: ${data}\n`);
    expect(cli.stdout()).toMatch(
      /^Storage for AzureWebJobsStorage:\n\tBlob: http:\/\/127\.0\.0\.1:\d+\/devstoreaccount1$/m,
    );
    expect(cli.stdout()).toMatch(
      /^Service Bus for OrdersConnection: Endpoint=sb:\/\/127\.0\.0\.1:\d+;.*\n\tqueue orders$/m,
    );
    expect(cli.stdout()).toMatch(/^\tsubmit: \[POST\] http:\/\/localhost:\d+\/api\/orders$/m);
    expect(cli.stdout()).toMatch(/^\treceive: serviceBusTrigger$/m);
    expect(cli.stdout()).not.toContain('Skipping');
  });

  it('runs HTTP, Service Bus, durable and timer functions, with storage, without a key', async () => {
    const order = { id: 'one', amounts: [3, 4] };
    const answer = await fetch(`${url}/api/orders`, { method: 'POST', body: JSON.stringify(order) });
    expect(answer.status).toBe(202);
    expect(await settledOrder('one')).toEqual({ runtimeStatus: 'Completed', output: 'paid3,paid4' });
    await cli.waitFor(/the heart beats/);
  });

  it('answers pages of the origins in Host.CORS', async () => {
    const preflight = await fetch(`${url}/api/orders`, {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:3000', 'access-control-request-method': 'POST' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('http://localhost:3000');
  });

  it('writes no colours without a terminal', () => {
    expect(cli.stdout() + cli.stderr()).not.toContain('\u001b');
  });

  it('refuses a second start with the same data folder', async () => {
    const second = runCli(['start', APP, '--port', '0', '--data', data]);
    expect(await second.exited).toBe(1);
    expect(second.stderr()).toMatch(/^error: --data: the folder '.*' is in use by another stack: .*\n$/);
  });

  it('ends with 0 on SIGTERM', async () => {
    expect(await cli.stop()).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
  });
});
