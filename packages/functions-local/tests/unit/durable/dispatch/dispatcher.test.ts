import { expect, test, vi } from 'vitest';
import { Dispatcher } from '../../../../src/durable/dispatch/dispatcher.ts';
import type { PollResult } from '../../../../src/durable/dispatch/pacer.ts';
import { createPollingPacer } from '../../../../src/durable/dispatch/polling-pacer.ts';
import type { Slots } from '../../../../src/durable/dispatch/workers.ts';

function slotsOf(capacity: number): Slots & { add(count: number): void } {
  let free = capacity;
  const add = (count: number) => {
    free += count;
  };
  const take = () => {
    free -= 1;
    return { invoke: async () => undefined, release: () => add(1) };
  };
  return { free: () => free, take, add };
}

function setUp(capacity: number, due: string[]) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const asked: number[] = [];
  let poll: (at: number) => PollResult = () => ({ found: false, full: false, nextDueAt: undefined });
  const work = {
    due: (now: number, limit: number) => {
      asked.push(now);
      return due.slice(0, limit);
    },
    nextDueAt: (now: number) => {
      asked.push(now);
      return undefined;
    },
    run: (key: string) => {
      started.push(key);
      return new Promise<void>((resolve) => ends.set(key, resolve));
    },
  };
  const pacer = { start: () => undefined, wake: () => undefined, freed: () => undefined, stop: () => undefined };
  const dispatcher = new Dispatcher(work, slotsOf(capacity), (given) => {
    poll = given;
    return pacer;
  });
  return { dispatcher, started, ends, asked, poll: () => poll(1) };
}

test('at most as many keys run as there are slots, each key once at a time', () => {
  const { started, poll } = setUp(2, ['a', 'b', 'c']);
  expect(poll()).toMatchObject({ found: true, full: true });
  expect(poll()).toMatchObject({ found: false, full: true });
  expect(started).toEqual(['a', 'b']);
});

test('the end of a run frees its slot for the next one', async () => {
  const { dispatcher, started, ends, poll } = setUp(1, ['a', 'b']);
  poll();
  ends.get('a')?.();
  await dispatcher.settled();
  poll();
  // 'a' is still due, since it was not removed from the queue.
  expect(started).toEqual(['a', 'a']);
});

test('both reads of a poll use the same time', () => {
  const { asked, poll } = setUp(1, []);
  poll();
  expect(asked).toEqual([1, 1]);
});

test("with Azure's delays, a chain right after a fan-out of twice the capacity waits only for short polls", async () => {
  vi.useFakeTimers({ now: 0 });
  try {
    let queue = Array.from({ length: 40 }, (_, index) => ({ key: index, dueAt: 0 }));
    const ended = new Map<number, number>();
    const work = {
      due: (now: number, limit: number) => {
        const found = queue.filter(({ dueAt }) => dueAt <= now).slice(0, limit);
        queue = queue.filter((entry) => !found.includes(entry));
        return found.map(({ key }) => key);
      },
      nextDueAt: () => undefined,
      run: async (key: number) => {
        await new Promise((resolve) => setTimeout(resolve, 10));
        ended.set(key, Date.now());
        if (key >= 39 && key < 42) queue.push({ key: key + 1, dueAt: Date.now() });
      },
    };
    const dispatcher = new Dispatcher(work, slotsOf(20), (poll) =>
      createPollingPacer(poll, { maximumMs: 30_000, sender: 'other', random: () => 0.5 }),
    );
    dispatcher.start();
    await vi.advanceTimersByTimeAsync(5_000);
    dispatcher.stop();
    expect(ended.get(42)).toBeLessThan(300);
  } finally {
    vi.useRealTimers();
  }
});

test("with Azure's delays, waiting work starts when a worker is added", async () => {
  vi.useFakeTimers({ now: 0 });
  try {
    const slots = slotsOf(0);
    const run = vi.fn(async () => undefined);
    const work = { due: (_now: number, limit: number) => ['waiting'].slice(0, limit), nextDueAt: () => undefined, run };
    const dispatcher = new Dispatcher(work, slots, (poll) =>
      createPollingPacer(poll, { maximumMs: 30_000, sender: 'other' }),
    );
    dispatcher.start();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(run).not.toHaveBeenCalled();
    slots.add(1);
    dispatcher.useSlots();
    await vi.advanceTimersByTimeAsync(10);
    dispatcher.stop();
    expect(run).toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});
