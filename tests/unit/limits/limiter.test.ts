import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { endCall } from '../../../shared/limits/permits.ts';
import { leaveOf, limitedProcesses, startClock, workloadOf } from './limited-processes.ts';

beforeEach(startClock);
afterEach(() => vi.useRealTimers());

describe('a process alone', () => {
  it('starts calls evenly at 0.96 of the rate, and does not save unused permits', async () => {
    const a = limitedProcesses({ rateLimit: { calls: 100, perSeconds: 1 } }).process('a');
    await a.enter('queue-1');
    expect(await a.calls(1_000)).toBeGreaterThanOrEqual(93);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await a.calls(20)).toBeLessThanOrEqual(7);
    expect(await a.calls(10_000)).toBeLessThanOrEqual(966);
  });

  it('loses no permits while its main thread is briefly busy, but all of them while it is suspended', async () => {
    const a = limitedProcesses({ rateLimit: { calls: 1_000, perSeconds: 1 } }).process('a');
    await a.enter('queue-1');
    await a.calls(1_000);
    vi.setSystemTime(Date.now() + 80);
    expect(await a.calls(20)).toBeGreaterThan(90);
    vi.setSystemTime(Date.now() + 2_000);
    expect(await a.calls(20)).toBeLessThanOrEqual(100);
  });

  it('makes operations only for its leases, regardless of the number of calls', async () => {
    const { process, operations } = limitedProcesses({ rateLimit: { calls: 10_000, perSeconds: 1 } });
    const a = process('a');
    const leave = leaveOf(await a.enter('queue-1'));
    expect(operations).toEqual(['getEntity', 'createEntity']);
    expect(await a.calls(30_000)).toBeGreaterThan(200_000);
    await leave();
    // Renewed after 3, 9, 15, 21 and 27 s, and released at the end.
    expect(operations.slice(2)).toEqual(Array.from({ length: 6 }, () => 'updateEntity'));
  });

  it('never has more items in flight than permitted', async () => {
    const a = limitedProcesses({ maxConcurrency: 3 }).process('a');
    await a.enter('queue-1');
    expect([a.take(), a.take(), a.take(), a.take()]).toEqual([true, true, true, false]);
    endCall(a.permits(), 1);
    expect([a.take(), a.take()]).toEqual([true, false]);
  });

  it('starts nothing in the last 1.5 s of its lease, in which the clock of the service may be past its end', async () => {
    const { process, hold, row } = limitedProcesses({ maxConcurrency: 3 });
    const a = process('a');
    await a.enter('queue-1');
    const until = (await row()).holders[0]?.until ?? 0;
    hold();
    vi.setSystemTime(until - 1_501);
    expect(a.take()).toBe(true);
    vi.setSystemTime(until - 1_500);
    expect(a.take()).toBe(false);
  });

  it('starts nothing after its lease has expired, and continues after a renewal', async () => {
    const w = limitedProcesses({ maxConcurrency: 3 });
    const a = w.process('a');
    const leave = leaveOf(await a.enter('queue-1'));
    // The process was suspended for a minute and has renewed nothing.
    vi.setSystemTime(Date.now() + 60_000);
    expect(a.take()).toBe(false);
    expect(a.limiter.isStarved(workloadOf({ maxConcurrency: 3 }))).toBe(true);
    await vi.advanceTimersByTimeAsync(100);
    expect(a.take()).toBe(true);
    endCall(a.permits(), 1);
    await leave();
  });
});

describe('several processes', () => {
  it('share the rate; one that gets no share gets the time of its next attempt', async () => {
    const { process, row } = limitedProcesses({ rateLimit: { calls: 100, perSeconds: 1 } });
    const [a, b] = [process('a'), process('b')];
    await a.enter('queue-1');
    const refused = await b.enter('queue-2');
    expect(refused).toEqual({ retryAt: Date.now() + 3_500 });
    await vi.advanceTimersByTimeAsync(3_500);
    await b.enter('queue-2');
    expect((await row()).holders.map(({ has }) => has.permitsPerSecond)).toEqual([48, 48]);
    let calls = 0;
    for (let at = 0; at < 10_000; at += 20) calls += (await a.calls(20)) + b.used();
    expect(calls).toBeGreaterThanOrEqual(900);
    expect(calls).toBeLessThanOrEqual(970);
  });

  it('continue with a task that enters while the last one leaves', async () => {
    const { process, hold } = limitedProcesses({ maxConcurrency: 3 });
    const a = process('a');
    const leave = leaveOf(await a.enter('queue-1'));
    const { release } = hold();
    await vi.advanceTimersByTimeAsync(3_000);
    const [left, entered] = [leave(), a.enter('queue-2')];
    release();
    await left;
    leaveOf(await entered);
    expect(a.take()).toBe(true);
  });

  it('do not lose the share that a task has just claimed while the last other task leaves', async () => {
    // Prepare: the first task has lost its share.
    const { process, hold, row } = limitedProcesses({ maxConcurrency: 3 });
    const a = process('a');
    const leave = leaveOf(await a.enter('queue-1'));
    vi.setSystemTime(Date.now() + 60_000);

    // Act
    const { release } = hold();
    const [entered, left] = [a.enter('queue-2'), leave()];
    release();
    await left;
    const leaveAgain = leaveOf(await entered);

    // Assess
    expect(a.take()).toBe(true);
    expect((await row()).holders).toMatchObject([{ id: 'a', queues: ['queue-2'] }]);
    endCall(a.permits(), 1);
    await leaveAgain();
    expect((await row()).holders).toEqual([]);
  });

  it('release their share when the last task has left while another one got none', async () => {
    const { process, hold, row } = limitedProcesses({ maxConcurrency: 1 });
    const [a, b] = [process('a'), process('b')];
    const leave = leaveOf(await a.enter('queue-1'));
    expect(a.take()).toBe(true);
    // Another process gets the share while the first one is suspended.
    vi.setSystemTime(Date.now() + 600_000);
    leaveOf(await b.enter('queue-2'));
    const { release } = hold();
    const [entered, left] = [a.enter('queue-3'), leave()];
    endCall(a.permits(), 1);
    release();
    await left;
    expect(await entered).toHaveProperty('retryAt');
    const { holders, waiting } = await row();
    expect(holders.map(({ id }) => id)).toEqual(['b']);
    expect(waiting.map(({ queue }) => queue)).toContain('queue-3');
  });

  it('do not count items of a process that has left after its share was lost', async () => {
    const { process, row } = limitedProcesses({ maxConcurrency: 1 });
    const [a, b] = [process('a'), process('b')];
    const leave = leaveOf(await a.enter('queue-1'));
    expect(a.take()).toBe(true);
    while ((await row()).holders.some(({ until }) => until > Date.now())) {
      await b.enter('queue-2');
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect((await row()).holders).toMatchObject([{ id: 'a', has: { inFlight: 1 } }]);
    endCall(a.permits(), 1);
    await leave();
    expect((await row()).holders).toEqual([]);
    leaveOf(await b.enter('queue-2'));
  });

  it.each([
    [10, 60, 2],
    [200, 60, 3],
    [200, 60, 8],
    [20, 1, 8],
  ])(
    'use all of %i calls per %i s with %i processes, although a renewal may find none of their calls',
    async (calls, perSeconds, count) => {
      const { process } = limitedProcesses({ rateLimit: { calls, perSeconds } });
      const all = Array.from({ length: count }, (_, n) => process(`process-${n}`));
      for (const [n, { enter }] of all.entries()) {
        while ('retryAt' in (await enter(`queue-${n}`))) await vi.advanceTimersByTimeAsync(500);
      }
      const seconds = 120;
      let begun = 0;
      for (let at = 0; at < seconds * 1_000; at += 20) {
        await vi.advanceTimersByTimeAsync(20);
        for (const { used } of all) begun += used();
      }
      const share = begun / ((calls * seconds) / perSeconds);
      expect(share).toBeGreaterThanOrEqual(0.9);
      expect(share).toBeLessThanOrEqual(1);
    },
  );

  it('leave unused parts to others, and get them back when needed', async () => {
    const { process, row } = limitedProcesses({ rateLimit: { calls: 10, perSeconds: 1 } });
    const [a, b] = [process('a'), process('b')];
    await a.enter('queue-1');
    await b.enter('queue-2');
    await vi.advanceTimersByTimeAsync(3_500);
    await b.enter('queue-2');
    const rateOf = async (id: string) => (await row()).holders.find((holder) => holder.id === id)?.has.permitsPerSecond;
    await a.calls(10_000);
    expect(await rateOf('b')).toBe(1);
    expect(await rateOf('a')).toBeCloseTo(8.6);
    for (let at = 0; at < 10_000; at += 20) b.used() + (await a.calls(20));
    expect(await rateOf('b')).toBeCloseTo(4.8);
  });

  it('use no more than their new share as soon as they write it, because another process may already read it', async () => {
    // Prepare: two processes have two items each, and a third one waits for its part.
    const { process, hold, operations } = limitedProcesses({ maxConcurrency: 4 });
    const [a, b, c] = [process('a'), process('b'), process('c')];
    await a.enter('queue-1');
    while ('retryAt' in (await b.enter('queue-2'))) await vi.advanceTimersByTimeAsync(500);
    await c.enter('queue-3');

    // Act: a renewal has read the row, and waits for the answer to its write.
    const reading = hold();
    while (operations.at(-1) !== 'getEntity') await vi.advanceTimersByTimeAsync(20);
    hold();
    reading.release();
    await vi.advanceTimersByTimeAsync(0);

    // Assess
    expect(operations.at(-1)).toBe('updateEntity');
    const beforeAnswer = [a, b].map((one) => [one.take(), one.take()]);
    expect(beforeAnswer).toContainEqual([true, false]);
  });

  it('immediately get what the last task of another process releases', async () => {
    const { process } = limitedProcesses({ rateLimit: { calls: 100, perSeconds: 1 } });
    const [a, b] = [process('a'), process('b')];
    const first = leaveOf(await a.enter('queue-1'));
    const second = leaveOf(await a.enter('queue-1'));
    await first();
    expect(await b.enter('queue-1')).toHaveProperty('retryAt');
    await second();
    expect(await b.enter('queue-1')).toHaveProperty('leave');
    expect(a.take()).toBe(false);
  });
});

it('is refused a share, until leases end, while the row has no room for another process', async () => {
  // Prepare: a row that is as long as possible.
  const { process, fill, row } = limitedProcesses({ maxConcurrency: 6_400 });
  const part = { permitsPerSecond: 1, inFlight: 100 };
  const nowMs = Date.now();
  const holder = (id: string) => ({
    ...{ id, wants: part, has: part, since: nowMs, renewsAt: nowMs, until: nowMs + 5_000 },
    queues: Array.from({ length: 5 }, (_, lane) => `lane-${lane}`.padEnd(63, '-')),
  });
  const holders = Array.from({ length: 50 }, (_, n) => holder(`process-${n}`));
  holders.push(holder('x'.repeat(32_000 - JSON.stringify([...holders, holder('')]).length)));
  await fill(holders);
  const a = process('a');

  // Act
  const refused = await a.enter('queue-1');
  const whileFull = await row();
  // The leases end, and the calls have timed out.
  await vi.advanceTimersByTimeAsync(600_000);
  const entered = await a.enter('queue-1');

  // Assess
  expect(refused).toEqual({ retryAt: nowMs + 5_000 });
  expect(whileFull.holders).toHaveLength(51);
  expect(entered).toHaveProperty('leave');
});

it('leaves without an error if the share cannot be released, which others then get after the lease', async () => {
  const { process, hold } = limitedProcesses({ rateLimit: { calls: 100, perSeconds: 1 } });
  const [a, b] = [process('a'), process('b')];
  const leave = leaveOf(await a.enter('queue-1'));
  hold().fail();
  await leave();
  expect(a.take()).toBe(false);
  hold().release();
  expect(await b.enter('queue-2')).toHaveProperty('retryAt');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await b.enter('queue-2')).toHaveProperty('leave');
});

it('makes no operation for a workload without limits', async () => {
  const { process, operations } = limitedProcesses({});
  const a = process('a');
  await leaveOf(await a.enter('queue-1'))();
  expect([operations, a.permits()]).toEqual([[], undefined]);
});
