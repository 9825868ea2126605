import { expect, test } from 'vitest';
import { ContentionError } from '../../../shared/errors.ts';
import { LOST_RACE, retryLostRace } from '../../../shared/storage/lost-race.ts';

/** Runs a change that loses its first `races` races, with times and random numbers at their upper bound. */
async function lose(races: number) {
  const slept: number[] = [];
  let attempts = 0;
  const tools = { sleep: async (ms: number) => void slept.push(ms), random: () => 1 };
  const attempt = async () => {
    attempts += 1;
    return attempts > races ? 'written' : LOST_RACE;
  };
  const end = await retryLostRace('gate of queue q', attempt, tools).catch((error: unknown) => error);
  return { end, attempts, slept };
}

test('a change is written when a race is won, and the first attempts have no delay', async () => {
  expect(await lose(0)).toEqual({ end: 'written', attempts: 1, slept: [] });
  expect(await lose(4)).toEqual({ end: 'written', attempts: 5, slept: [] });
});

test('the delay grows from the sixth attempt, to one second at most', async () => {
  const { slept } = await lose(14);

  expect(slept).toEqual([10, 20, 40, 80, 160, 320, 640, 1_000, 1_000, 1_000]);
});

test('after 30 lost races it fails with an error that describes the row', async () => {
  const { end, attempts } = await lose(Number.POSITIVE_INFINITY);

  expect(attempts).toBe(30);
  expect(end).toBeInstanceOf(ContentionError);
  expect((end as Error).message).toMatch(/gate of queue q .* 30 attempts/);
});

test('an error of an attempt is not a lost race', async () => {
  let attempts = 0;
  const failing = async () => {
    attempts += 1;
    throw new Error('away');
  };

  await expect(retryLostRace('row', failing)).rejects.toThrow('away');
  expect(attempts).toBe(1);
});
