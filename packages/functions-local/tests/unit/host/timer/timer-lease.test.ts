import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTimerLease, type TimerLease } from '../../../../src/host/timer/timer-lease.ts';

let folder: string;
let leases: TimerLease[];
beforeEach(() => {
  vi.useFakeTimers({ now: 0, toFake: ['Date'] });
  folder = mkdtempSync(join(tmpdir(), 'lease-'));
  leases = [];
});
afterEach(() => {
  vi.useRealTimers();
  for (const lease of leases) lease.leave();
  rmSync(folder, { recursive: true, force: true });
});

async function joined(owner: string): Promise<TimerLease> {
  const lease = createTimerLease(join(folder, 'lease.sqlite'), owner);
  await lease.join();
  leases.push(lease);
  return lease;
}

/** Acquires the lease without a wait. */
function acquire(lease: TimerLease): Promise<number | undefined> {
  const trying = new AbortController();
  const acquired = lease.acquire(trying.signal);
  trying.abort();
  return acquired;
}

test('one owner has the lease until it expires', async () => {
  const [first, second] = [await joined('host-1'), await joined('host-2')];
  expect([await acquire(first), await acquire(second)]).toEqual([1, undefined]);
  vi.setSystemTime(2_000);
  expect([first.renew(1), await acquire(second)]).toEqual([true, undefined]);
  vi.setSystemTime(5_000);
  expect([await acquire(second), first.renew(1), await acquire(first)]).toEqual([1, false, undefined]);
});

test('an expired lease is not renewed, even if no other owner acquired it, and can be acquired again', async () => {
  const lease = await joined('host-1');
  expect(await acquire(lease)).toBe(1);
  vi.setSystemTime(3_000);
  expect(lease.renew(1)).toBe(false);
  expect(await acquire(lease)).toBe(2);
  expect(lease.renew(2)).toBe(true);
});

test('a timer does not continue with the term that another timer began after a freeze', async () => {
  const lease = await joined('host-1');
  expect([await acquire(lease), await acquire(lease)]).toEqual([1, 1]);
  vi.setSystemTime(3_000);
  expect(await acquire(lease)).toBe(2);
  expect([lease.renew(1), await acquire(lease)]).toEqual([false, 2]);
});

test('a lease that another owner had in the meantime is not renewed', async () => {
  const [first, second] = [await joined('host-1'), await joined('host-2')];
  await acquire(first);
  vi.setSystemTime(5_000);
  await acquire(second);
  vi.setSystemTime(9_000);
  expect([first.renew(1), second.renew(1)]).toEqual([false, false]);
});

test('an owner that restarts has it immediately, and an owner that leaves releases it', async () => {
  expect(await acquire(await joined('host-1'))).toBe(1);
  const again = await joined('host-1');
  expect(await acquire(again)).toBe(1);
  const other = await joined('host-2');
  expect(await acquire(other)).toBeUndefined();
  again.leave();
  expect(await acquire(other)).toBe(1);
});
