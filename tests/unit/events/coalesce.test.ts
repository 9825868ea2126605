import { expect, test } from 'vitest';
import { createCoalesce } from '../../../shared/events/coalesce.ts';

const GAP_MS = 50;

test('the first call for a key runs immediately; calls that follow soon share one run, which starts after all of them', async () => {
  const coalesce = createCoalesce(GAP_MS);
  const runs: string[] = [];
  const call = (name: string): Promise<void> => coalesce('queue', async () => void runs.push(name));

  const first = call('first');
  expect(runs).toEqual(['first']);
  const later = [call('second'), call('third')];
  expect(runs).toEqual(['first']);
  await Promise.all([first, ...later]);

  expect(runs).toEqual(['first', 'second']);
});

test('a call during a shared run is followed by a separate run', async () => {
  const coalesce = createCoalesce(GAP_MS);
  let runs = 0;
  let last: Promise<void> | undefined;
  const count = async (): Promise<void> => {
    runs += 1;
  };
  await coalesce('queue', count);
  await coalesce('queue', async () => {
    await count();
    last = coalesce('queue', count);
  });
  await last;

  expect(runs).toBe(3);
});

test('a failed run fails only the calls that share it', async () => {
  const coalesce = createCoalesce(GAP_MS);
  const fail = (): Promise<void> => Promise.reject(new Error('storage is unavailable'));
  await coalesce('queue', async () => undefined);

  const shared = await Promise.allSettled([
    coalesce('queue', fail),
    coalesce('queue', fail),
    coalesce('other', async () => undefined),
  ]);

  expect(shared.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
  await expect(coalesce('queue', async () => undefined)).resolves.toBeUndefined();
});

test('different keys do not wait for each other', async () => {
  const coalesce = createCoalesce(60_000);
  const runs: string[] = [];

  await Promise.all(['a', 'b'].map((key) => coalesce(key, async () => void runs.push(key))));

  expect(runs).toEqual(['a', 'b']);
});
