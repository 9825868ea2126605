import { expect, test } from 'vitest';
import { Dispatcher } from '../../../src/durable/dispatcher.ts';
import type { PollResult } from '../../../src/durable/pacing.ts';

function setUp(capacity: number, due: string[]) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const asked: number[] = [];
  let poll: () => PollResult = () => ({ found: false, held: false, nextDueAt: undefined });
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
  let free = capacity;
  const take = () => {
    free -= 1;
    const release = () => {
      free += 1;
    };
    return { invoke: async () => undefined, release };
  };
  const dispatcher = new Dispatcher(work, { free: () => free, take }, (given) => {
    poll = given;
    return pacer;
  });
  return { dispatcher, started, ends, asked, poll: () => poll() };
}

test('at most as many as there are slots run, each key once at a time', () => {
  const { started, poll } = setUp(2, ['a', 'b', 'c']);
  expect(poll()).toMatchObject({ found: true, held: true });
  expect(poll()).toMatchObject({ found: false, held: true });
  expect(started).toEqual(['a', 'b']);
});

test('the end of one makes room for the next', async () => {
  const { dispatcher, started, ends, poll } = setUp(1, ['a', 'b']);
  poll();
  ends.get('a')?.();
  await dispatcher.settled();
  poll();
  // 'a' is still due, since nothing has taken it from the queue.
  expect(started).toEqual(['a', 'a']);
});

test('both questions of a look are asked for one instant', () => {
  const { asked, poll } = setUp(1, []);
  poll();
  expect(asked[0]).toBe(asked[1]);
});
