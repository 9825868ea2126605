import { expect, test } from 'vitest';
import { runSlice } from '../../../shared/drain/slice.ts';
import { wave } from './drain-fixtures.ts';
import { world } from './slice-fixtures.ts';

test('the only task of a wave stays for new messages, receives them at an interval, and does not count its waits', async () => {
  const effects = world([[1], [2, 3], []], { roundMs: 100 });

  const result = await runSlice(wave({ quota: 1, receive: 32 }), effects);

  expect(result).toMatchObject({ ended: 'quotaReached', received: 3, seconds: 0.2 });
  expect(effects.asked.slice(0, 2)).toEqual([32, 32]);
  // One second until something more has arrived, then half a second.
  expect(effects.slept.slice(0, 2)).toEqual([900, 400]);
});

test('the only task of a wave that has received exactly the planned messages receives once more after a second', async () => {
  const effects = world([[1]]);

  const result = await runSlice(wave({ quota: 1, depth: 1, receive: 32 }), effects);

  expect(result).toMatchObject({ ended: 'quotaReached', received: 1 });
  expect([effects.asked.length, effects.slept]).toEqual([2, [1_000]]);
});

test('the only task of a wave that receives something within that second ends after two empty receives', async () => {
  const effects = world([[1], [2], [], [3]]);

  const result = await runSlice(wave({ quota: 1, depth: 1, receive: 32 }), effects);

  expect(result).toMatchObject({ ended: 'quotaReached', received: 3 });
  expect(effects.slept).toEqual([1_000, 500, 1_000, 500, 1_000]);
});

test('the only task of a wave backs off until all planned messages have arrived', async () => {
  const effects = world([[1]]);

  await runSlice(wave({ quota: 3, depth: 3, receive: 32 }), effects);

  expect(effects.slept).toEqual([500, 100, 300, 700]);
});

test('the only task of a wave ends if the queue returns as many messages as requested, so that the next wave can be larger', async () => {
  const effects = world([[1, 2], [3, 4], [5]]);

  const result = await runSlice(wave({ quota: 4, receive: 2 }), effects);

  expect(result).toMatchObject({ ended: 'quotaReached', received: 4 });
});

test('the only task of a wave does not stay indefinitely, because another queue may need its place', async () => {
  const effects = world(Array.from({ length: 1_000 }, () => [1]));

  const result = await runSlice(wave({ quota: 1, receive: 32 }), effects);

  expect(result).toMatchObject({ ended: 'quotaReached', received: 9 });
});

test('the only task of a wave returns what it receives after its queue was paused, and ends', async () => {
  const effects = { ...world([[1, 2], [3], [4]]), mayContinue: async () => effects.asked.length < 3 };

  const result = await runSlice(wave({ quota: 2, receive: 32 }), effects);

  expect(result).toMatchObject({ ended: 'quotaReached' });
  expect(effects.asked).toHaveLength(3);
  expect(effects.back).toEqual([4]);
});
