/**
 * The provider of docs/workloads.md: 200 calls per minute, up to 200 addresses each, here with a minute of six seconds. Several
 * instances work at batches of both lanes, and the provider counts. SLUICE_LIMITS_DEEP tries other numbers of instances.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { buildAppCopy } from '../../helpers/app-copy.ts';
import { type BatchAnswer, finished, report, send } from '../../helpers/client.ts';
import { type MailProvider, startMailProvider } from '../../helpers/mail-provider.ts';
import { exceededLimits, type Limits, missedRate } from '../../helpers/rates.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

const LIMITS: Limits = { unit: 'calls', limit: 200, perMs: 6_000, maxConcurrency: 800 };
const LATENCY_MS = 60;
const ADDRESSES = 200;
const CALLS = { transactional: 150, bulk: 300 } as const;
const TOTAL = ADDRESSES * (CALLS.transactional + 2 * CALLS.bulk);
const SECONDS = 120;
/** Leases and slices short enough that a test can wait for one to run out. */
const SHORT = { SLUICE_VISIBILITY_SECONDS: '4', SLUICE_SLICE_SECONDS: '3', SLUICE_INBOX_SCHEDULE: '' };

const INSTANCES = process.env.SLUICE_LIMITS_DEEP === undefined ? [3] : [1, 2, 3, 8];
const KILLS = process.env.SLUICE_LIMITS_DEEP === undefined ? [false] : [false, true];

describe.each(INSTANCES)('a provider of mail with a limit, and %i instances', (instances) => {
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

  it.each(KILLS)('holds the limit on two lanes, with an instance killed: %s', async (kills) => {
    const batches = await Promise.all([
      sendMails('a.example', CALLS.bulk, 'bulk'),
      sendMails('b.example', CALLS.transactional, 'transactional'),
      sendMails('c.example', CALLS.bulk, 'bulk'),
    ]);
    if (kills) {
      await expect.poll(() => provider.calls.length, { timeout: 60_000 }).toBeGreaterThan(CALLS.transactional);
      await sleep(0); // The call that is in flight then is cut off.
      const [victim] = stack.instances;
      if (victim) process.kill(victim.process.pid, 'SIGKILL');
    }
    const ended = await Promise.all(batches.map(({ id }) => finished(stack, id, SECONDS)));

    const { calls, refusedAtMs, sent } = provider;
    const [first, last] = [calls[0], calls.at(-1)];
    console.log(
      JSON.stringify({
        ...{ instances, kills, calls: calls.length, refused: refusedAtMs.length },
        seconds: ((last?.atMs ?? 0) - (first?.atMs ?? 0)) / 1_000,
      }),
    );
    const by = new Map<string, number[]>();
    for (const c of calls) {
      const k = c.instance;
      const a = by.get(k) ?? [];
      const i = Math.floor((c.atMs - (first?.atMs ?? 0)) / 2000);
      a[i] = (a[i] ?? 0) + 1;
      by.set(k, a);
    }
    for (const [k, a] of by) console.log('DEBUG', k, Array.from(a, (x) => x ?? 0).join(' '));
    (await import('node:fs')).writeFileSync('/tmp/wt/scratch/h-host.log', await stack.hostLog());
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
    expect(missedRate(calls, LIMITS, { fromMs: first?.atMs ?? 0, toMs: last?.atMs ?? 0 })).toEqual([]);
  });
});
