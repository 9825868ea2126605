import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES } from 'functions-local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queueOf, report, settled, submit } from '../helpers/client.ts';
import { startStack, type TestStack } from '../helpers/stack.ts';
import { ndjson, totalsOf, transactions } from '../helpers/transactions.ts';

/** Leases and slices short enough that a test can wait for one to run out; chunks enough for all instances. */
const SHORT = { SLUICE_VISIBILITY_SECONDS: '4', SLUICE_SLICE_SECONDS: '3', SLUICE_INBOX_SCHEDULE: '' };
const QUEUE = 'billing-normal-0';

describe('the app on three instances', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startStack({ instances: 3, settings: SHORT });
  });
  afterAll(() => stack?.stop());

  const slicesOf = async (instance: string): Promise<number> => {
    const log = await readFile(join(stack.folder, FILES.logs, `${instance}.log`), 'utf8');
    return log.split("Executing 'Functions.dequeue-batch'").length - 1;
  };

  it('says in health which instance answers', async () => {
    const health = (await (await stack.api('health')).json()) as { instance: string };
    expect(stack.instances.map(({ name }) => name)).toContain(health.instance);
  });

  it('ends a batch with an exact report when one of them dies in the middle', async () => {
    const { id } = await submit(stack, ndjson(transactions(60_000)));
    await expect.poll(async () => (await queueOf(stack, QUEUE))?.status, { timeout: 20_000 }).toBe('draining');
    const slices = () => Promise.all(stack.instances.map(({ name }) => slicesOf(name)));
    await expect.poll(async () => (await slices()).every((count) => count > 0), { timeout: 20_000 }).toBe(true);
    const [, victim = stack.instances[0]] = stack.instances;

    process.kill(victim.process.pid, 'SIGKILL');
    const batch = await settled(stack, id, 90);

    expect(batch).toMatchObject({ state: 'completed', counts: { accepted: 60_000, succeeded: 60_000, pending: 0 } });
    expect(await report(stack, id)).toEqual({ 'acme|EUR': totalsOf(60_000) });
    await expect.poll(() => victim.state, { timeout: 20_000 }).toBe('running');
  });
});
