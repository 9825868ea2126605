import type { Instance } from 'functions-local';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { finished, report, send } from '../helpers/client.ts';
import { buildOddApp } from '../helpers/odd-app.ts';
import { type SlowServer, startSlowServer } from '../helpers/servers/slow-server.ts';
import { startStack, type TestStack } from '../helpers/stack.ts';

/** Leases and slices short enough that a test can wait until one expires. */
const SHORT = { SLUICE_VISIBILITY_SECONDS: '4', SLUICE_SLICE_SECONDS: '3', SLUICE_INBOX_SCHEDULE: '' };
const ITEMS = 400;
/** Items that a thread runs at the same time. */
const IN_FLIGHT = 16;

describe('the app on three instances', () => {
  let stack: TestStack;
  let server: SlowServer;
  beforeAll(async () => {
    server = await startSlowServer();
    stack = await startStack({ instances: 3, settings: SHORT, appFolder: await buildOddApp('odd-instances') });
  });
  beforeEach(() => server.forget());
  afterAll(async () => {
    await stack?.stop();
    server?.stop();
  });

  /** Items that wait at the server, in groups of as many as a thread runs at the same time. */
  const visits = (count: number, ms: number) =>
    Array.from({ length: count }, (_, n) => ({ n, do: 'visit', url: server.url, ms }));

  it('reports in health which instance responds', async () => {
    const health = (await (await stack.api('health')).json()) as { instance: string };
    expect(stack.instances.map(({ name }) => name)).toContain(health.instance);
  });

  it('finishes a batch with an exact report when an instance dies during its run', async () => {
    const { id } = await send(stack, 'odd', visits(ITEMS, 400));
    // The plan and the load of the machine decide which instances run items, so the test chooses one that does.
    await expect.poll(() => server.calls.length).toBeGreaterThan(3 * IN_FLIGHT);
    const victim = stack.instances.find(({ name }) => name === server.calls.at(-1)?.instance) as Instance;

    process.kill(victim.process.pid, 'SIGKILL');
    const batch = await finished(stack, id, 90);

    expect(batch).toMatchObject({ state: 'completed', counts: { accepted: ITEMS, succeeded: ITEMS, pending: 0 } });
    expect(await report(stack, id)).toEqual({ all: { count: ITEMS, sum: (ITEMS * (ITEMS - 1)) / 2 } });
    await expect.poll(() => victim.state).toBe('running');
  });

  it('keeps the finished items of a drained instance, and runs only the others on another instance', async () => {
    const { id } = await send(stack, 'long', visits(240, 400));
    await expect.poll(() => server.calls.length).toBeGreaterThan(3 * IN_FLIGHT);
    const [drained] = stack.instances.filter(({ name }) => name === server.calls[0]?.instance);

    await drained?.drain();
    const { length: before } = server.calls;
    const batch = await finished(stack, id, 60);

    expect(before).toBeLessThan(240);
    expect(batch).toMatchObject({ state: 'completed', counts: { accepted: 240, succeeded: 240, dead: 0 } });
    expect(await report(stack, id)).toEqual({ all: { count: 240, sum: (240 * 239) / 2 } });
    // Only items that were in flight have run twice.
    expect(server.calls.length - 240).toBeLessThanOrEqual(IN_FLIGHT);
    expect(new Set(server.calls.slice(before).map(({ instance }) => instance))).not.toContain(drained?.name);
    await drained?.start();
  });

  it('stops running items when their batch is cancelled, and keeps the finished ones', async () => {
    const { id } = await send(stack, 'long', visits(1_000, 500));
    await expect.poll(() => server.calls.length).toBeGreaterThan(IN_FLIGHT);

    const answer = await stack.api(`batches/${id}/cancel`, { method: 'POST' });

    expect(await answer.json()).toMatchObject({ state: 'cancelling', cancellation: { left: { items: 1_000 } } });
    const { counts, state } = await finished(stack, id, 60);
    expect(state).toBe('cancelled');
    expect(counts.succeeded).toBeGreaterThan(0);
    expect(counts.succeeded + counts.cancelled).toBe(1_000);
    expect(server.calls.length - counts.succeeded).toBeLessThanOrEqual(IN_FLIGHT);
    expect(await report(stack, id)).toMatchObject({ all: { count: counts.succeeded } });
  });
});
