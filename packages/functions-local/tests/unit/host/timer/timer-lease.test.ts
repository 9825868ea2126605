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

test('one owner has the lease until it runs out', async () => {
  const [first, second] = [await joined('host-1'), await joined('host-2')];
  expect([first.renew(), second.renew()]).toEqual([true, false]);
  vi.setSystemTime(2_000);
  expect([first.renew(), second.renew()]).toEqual([true, false]);
  vi.setSystemTime(5_000);
  expect([second.renew(), first.renew()]).toEqual([true, false]);
});

test('an owner that starts again has it at once, and one that leaves gives it back', async () => {
  expect((await joined('host-1')).renew()).toBe(true);
  const again = await joined('host-1');
  expect(again.renew()).toBe(true);
  const other = await joined('host-2');
  expect(other.renew()).toBe(false);
  again.leave();
  expect(other.renew()).toBe(true);
});
