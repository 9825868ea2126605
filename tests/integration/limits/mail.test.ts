/**
 * The provider of docs/recipes.md: 200 calls per minute with up to 200 addresses each, here with a minute of six
 * seconds. Several instances work on batches of both lanes, and the provider counts. SLUICE_LIMITS_DEEP tests other
 * numbers of instances.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildAppCopy } from '../../helpers/app-copy.ts';
import { type BatchAnswer, finished, report, send } from '../../helpers/client.ts';
import { type MailProvider, startMailProvider } from '../../helpers/servers/mail-provider.ts';
import { exceededLimits, type Limits, shareOfRate } from '../../helpers/servers/rates.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

const LIMITS: Limits = { unit: 'calls', limit: 200, perMs: 6_000, maxConcurrency: 800 };
const LATENCY_MS = 60;
const ADDRESSES = 200;
const CALLS = { transactional: 100, bulk: 200 } as const;
const TOTAL = ADDRESSES * (CALLS.transactional + 2 * CALLS.bulk);
const SECONDS = 120;
/** A lease short enough for a test to wait for its end, and slices long enough that some follow each other. */
const SHORT = { SLUICE_VISIBILITY_SECONDS: '10', SLUICE_SLICE_SECONDS: '10', SLUICE_INBOX_SCHEDULE: '' };

/**
 * Also prints how much of the rate is used. That depends on the machine, and is asserted in virtual time
 * (tests/faults/limits).
 */
const isDeep = process.env.SLUICE_LIMITS_DEEP !== undefined;
const INSTANCES = isDeep ? [1, 2, 3, 8] : [3];
const KILLS = isDeep ? [false, true] : [false];

describe.each(INSTANCES)('a mail provider with a limit, and %i instances', (instances) => {
  let stack: TestStack;
  let provider: MailProvider;
  beforeAll(async () => {
    provider = await startMailProvider({ latencyMs: LATENCY_MS, limit: { calls: LIMITS.limit, perMs: LIMITS.perMs } });
    stack = await startStack({
      instances,
      settings: { ...SHORT, MAIL_URL: provider.url },
      appFolder: await buildAppCopy({
        name: `mail-${instances}`,
        project: 'tests/integration/limits/tsconfig.json',
        registry: 'tests/integration/limits/app/registry.ts',
        visibilitySeconds: 10,
      }),
    });
  });
  afterEach(() => {
    provider.forget();
    provider.sent.clear();
  });
  afterAll(async () => {
    await stack?.stop();
    provider?.stop();
  });

  const sendMails = (domain: string, calls: number, lane: string): Promise<BatchAnswer> => {
    const to = (n: number) => ({ to: `${n}@${domain}`, subject: 'Your invoice', text: 'It is attached.' });
    const items = Array.from({ length: calls * ADDRESSES }, (_, n) => to(n));
    return send(stack, 'mail', items, `?lane=${lane}`);
  };

  it.each(KILLS)('keep the limit on two lanes, although an instance is killed: %s', async (kills) => {
    const batches = await Promise.all([
      sendMails('a.example', CALLS.bulk, 'bulk'),
      sendMails('b.example', CALLS.transactional, 'transactional'),
      sendMails('c.example', CALLS.bulk, 'bulk'),
    ]);
    if (kills) {
      await expect.poll(() => provider.calls.length, { timeout: 60_000 }).toBeGreaterThan(CALLS.transactional);
      const [victim] = stack.instances;
      if (victim) process.kill(victim.process.pid, 'SIGKILL');
    }
    const ended = await Promise.all(batches.map(({ id }) => finished(stack, id, SECONDS)));

    const { calls, refusedAtMs, sent } = provider;
    const work = { fromMs: calls[0]?.atMs ?? 0, toMs: calls.at(-1)?.atMs ?? 0 };
    if (isDeep) console.log({ instances, kills, refused: refusedAtMs.length, share: shareOfRate(calls, LIMITS, work) });
    expect(ended.map(({ state, lane }) => [state, lane])).toEqual([
      ['completed', 'bulk'],
      ['completed', 'transactional'],
      ['completed', 'bulk'],
    ]);
    const reports = await Promise.all(batches.map(({ id }) => report(stack, id)));
    expect(reports).toEqual([
      { 'a.example': CALLS.bulk * ADDRESSES },
      { 'b.example': CALLS.transactional * ADDRESSES },
      { 'c.example': CALLS.bulk * ADDRESSES },
    ]);
    expect(sent.size).toBe(TOTAL);
    expect(refusedAtMs.length).toBeLessThanOrEqual(1);
    expect(exceededLimits(calls, LIMITS)).toEqual([]);
  });
});
