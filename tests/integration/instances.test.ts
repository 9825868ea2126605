import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES } from 'functions-local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finished, report, send } from '../helpers/client.ts';
import { buildOddApp } from '../helpers/odd-app.ts';
import { startStack, type TestStack } from '../helpers/stack.ts';

/** Leases and slices short enough that a test can wait for one to run out. */
const SHORT = { SLUICE_VISIBILITY_SECONDS: '4', SLUICE_SLICE_SECONDS: '3', SLUICE_INBOX_SCHEDULE: '' };
const ITEMS = 240;

describe('the app on three instances', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startStack({ instances: 3, settings: SHORT, appFolder: await buildOddApp('odd-instances') });
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
    const items = Array.from({ length: ITEMS }, (_, n) => ({ n, do: 'wait', ms: 100 }));
    const { id } = await send(stack, 'odd', items);
    const work = async () => Promise.all(stack.instances.map(({ name }) => slicesOf(name)));
    await expect.poll(work, { timeout: 30_000 }).not.toContain(0);
    const [, victim = stack.instances[0]] = stack.instances;

    process.kill(victim.process.pid, 'SIGKILL');
    const batch = await finished(stack, id, 90);

    expect(batch).toMatchObject({ state: 'completed', counts: { accepted: ITEMS, succeeded: ITEMS, pending: 0 } });
    expect(await report(stack, id)).toEqual({ all: { count: ITEMS, sum: (ITEMS * (ITEMS - 1)) / 2 } });
    await expect.poll(() => victim.state, { timeout: 20_000 }).toBe('running');
  });
});
